// name: delete_empty_communities()
// access: write
// columns: communities
// Deletes the communities that have no members, neither directly nor in a descendant. communities is how many it
// deleted.
MATCH (c:__GearCommunity)
WHERE NOT EXISTS { (c)-[:PARENT_OF*0..25]->()<-[:IN_COMMUNITY]-() }
DETACH DELETE c
RETURN count(*) AS communities
