// name: communities()
// access: read
// Every community, streamed: id, level, size, weight, the id of the one above it, its report, and the element ids of the
// nodes that are in it and in none below it.
MATCH (c:__GearCommunity)
RETURN c.id AS id, c.level AS level, c.size AS size, c.weight AS weight, c.title AS title, c.summary AS summary,
  c.rank AS rank, c.findings AS findings, c.error AS error,
  [(above:__GearCommunity)-[:PARENT_OF]->(c) | above.id][0] AS above,
  [(e)-[:IN_COMMUNITY]->(c) | elementId(e)] AS members
