// name: write_communities(rows, collection)
// access: write
// columns: written
// Writes communities of a collection by id with their level, size, weight, members (element ids) and parent, which must
// exist already. An existing community keeps its report. written is the number of new communities.
UNWIND $rows AS row
MERGE (c:__GearCommunity {id: row.id})
ON CREATE SET c:Community, c.fresh = true
SET c.collection = $collection, c.level = row.level, c.size = row.size, c.weight = row.weight
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
  OPTIONAL MATCH (e)-[member:IN_COMMUNITY]->(c)
  WITH row, c, collect(member) AS former, collect(elementId(e)) AS ids
  FOREACH (gone IN [member IN former WHERE NOT elementId(startNode(member)) IN row.members] | DELETE gone)
  WITH row, c, ids
  UNWIND [id IN row.members WHERE NOT id IN ids] AS id
  MATCH (e)
  WHERE elementId(e) = id
  CREATE (e)-[:IN_COMMUNITY]->(c)
}
WITH c, c.fresh IS NOT NULL AS fresh
SET c.fresh = null
RETURN sum(CASE WHEN fresh THEN 1 ELSE 0 END) AS written
