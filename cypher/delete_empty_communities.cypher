// name: delete_empty_communities()
// access: write
// Communities go that no node is in any more, nor in any below them. Says how many went.
MATCH (c:__GearCommunity)
WHERE NOT EXISTS { (c)-[:PARENT_OF*0..25]->()<-[:IN_COMMUNITY]-() }
DETACH DELETE c
RETURN count(*) AS communities
