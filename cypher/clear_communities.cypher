// name: clear_communities(limit)
// access: write
// Some communities go, whatever is in them. Says how many went.
MATCH (c:__GearCommunity)
WITH c
LIMIT $limit
DETACH DELETE c
RETURN count(*) AS communities
