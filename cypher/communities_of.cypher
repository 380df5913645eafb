// name: communities_of(nodes)
// access: read
// columns: node, id, level, size, weight, title, summary, rank, findings
// scope: filtered
// The communities that have a report and contain a given node (element id), ancestors included: a row for each node and
// community.
UNWIND $nodes AS node
MATCH (e)
WHERE elementId(e) = node
CALL (e) {
  // Separate, because under a scope the planner would start at all communities of a collection.
  MATCH (e)-[:IN_COMMUNITY]->(:__GearCommunity)<-[:PARENT_OF*0..25]-(c:__GearCommunity)
  RETURN c
}
WITH node, c
WHERE c.title IS NOT NULL /*+ AND IN_SCOPE_COMMUNITY(c) */
RETURN node, c.id AS id, c.level AS level, c.size AS size, c.weight AS weight, c.title AS title, c.summary AS summary,
  c.rank AS rank, c.findings AS findings
