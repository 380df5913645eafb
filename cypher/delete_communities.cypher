// name: delete_communities(ids)
// access: write
// columns: communities
// Deletes communities and keeps their members. communities is how many it deleted.
MATCH (c:__GearCommunity)
USING INDEX SEEK c:__GearCommunity(id)
WHERE c.id IN $ids
DETACH DELETE c
RETURN count(*) AS communities
