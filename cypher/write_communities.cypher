// name: write_communities(rows)
// access: write
// Communities by id, with level, size, weight and the one above, which must be there already; a new one with its members,
// by element id. What a report says of one that was there stays. Says how many are new.
UNWIND $rows AS row
MERGE (c:__GearCommunity {id: row.id})
ON CREATE SET c:Community, c.fresh = true
SET c.level = row.level, c.size = row.size, c.weight = row.weight
WITH row, c
CALL (row, c) {
  OPTIONAL MATCH (:__GearCommunity)-[before:PARENT_OF]->(c)
  DELETE before
  WITH row, c
  LIMIT 1
  MATCH (above:__GearCommunity {id: row.above})
  CREATE (above)-[:PARENT_OF]->(c)
}
CALL (row, c) {
  WITH row, c
  WHERE c.fresh
  UNWIND row.members AS id
  MATCH (e)
  WHERE elementId(e) = id
  CREATE (e)-[:IN_COMMUNITY]->(c)
}
WITH c, c.fresh IS NOT NULL AS fresh
SET c.fresh = null
RETURN sum(CASE WHEN fresh THEN 1 ELSE 0 END) AS written
