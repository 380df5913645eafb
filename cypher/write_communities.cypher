// name: write_communities(rows)
// access: write
// columns: written
// Writes communities by id with their level, size, weight and parent, which must exist already. A new community also
// gets its members (element ids); an existing community keeps its report. written is the number of new communities.
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
