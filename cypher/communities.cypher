// name: communities()
// access: read
// columns: id, level, size, weight, title, summary, rank, findings, error, above, members
// Streams every community with its report. above is the id of its parent community; members lists the element ids of
// the nodes that belong to it directly, not by way of a child.
MATCH (c:__GearCommunity)
RETURN c.id AS id, c.level AS level, c.size AS size, c.weight AS weight, c.title AS title, c.summary AS summary,
  c.rank AS rank, c.findings AS findings, c.error AS error,
  [(above:__GearCommunity)-[:PARENT_OF]->(c) | above.id][0] AS above,
  [(e)-[:IN_COMMUNITY]->(c) | elementId(e)] AS members
