// name: communities()
// access: read
// columns: id, collection, level, size, weight, title, summary, rank, findings, error, above, members
// scope: filtered
// Streams every community with its report. collection is null for one of an older version, built over all collections.
// above is the id of its parent community; members lists the element ids of its direct members, not those of its
// children.
MATCH (c:__GearCommunity)
/*+ WHERE IN_SCOPE_COMMUNITY(c) */
RETURN c.id AS id, c.collection AS collection, c.level AS level, c.size AS size, c.weight AS weight, c.title AS title,
  c.summary AS summary, c.rank AS rank, c.findings AS findings, c.error AS error,
  [(above:__GearCommunity)-[:PARENT_OF]->(c) | above.id][0] AS above,
  [(e)-[:IN_COMMUNITY]->(c) /*+ WHERE IN_SCOPE_ENTITY(e) */ | elementId(e)] AS members
