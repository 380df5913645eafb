// name: clear_communities(limit)
// access: write
// columns: communities
// Deletes up to $limit communities, whether or not they have members. communities is how many it deleted.
MATCH (c:__GearCommunity)
WITH c
LIMIT $limit
DETACH DELETE c
RETURN count(*) AS communities
