// name: delete_communities(ids)
// access: write
// Communities go, and leave their members alone. Says how many went.
MATCH (c:__GearCommunity)
USING INDEX SEEK c:__GearCommunity(id)
WHERE c.id IN $ids
DETACH DELETE c
RETURN count(*) AS communities
