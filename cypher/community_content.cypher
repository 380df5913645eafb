// name: community_content(id, most)
// access: read
// columns: id, subject, predicate, object, head, headLabels, headIn, tail, tailLabels, tailIn, readers, version
// The triples within a community and its descendants, of its own collection, in order of id, at most $most. head and
// tail are the element ids of the two ends, with headLabels and tailLabels; headIn and tailIn are the ids of the lowest
// communities that contain them. readers are those of the triple, version is that of the graph, as in graph_version,
// read after the triples.
MATCH (c:__GearCommunity {id: $id})
MATCH (c)-[:PARENT_OF*0..25]->(below)<-[:IN_COMMUNITY]-(s)
MATCH (s)<-[:SUBJECT]-(t:Triple)
WHERE c.collection IS NULL OR t.collection = c.collection
MATCH (t)-[:OBJECT]->(o)-[:IN_COMMUNITY]->(other:__GearCommunity)
WHERE other = below OR EXISTS { (c)-[:PARENT_OF*0..25]->(other) }
WITH t, s, o, below, other
LIMIT $most
WITH collect({triple: t, head: s, headIn: below.id, tail: o, tailIn: other.id}) AS facts
CALL (facts) {
  MATCH (store:__GearStore {id: 'store'})
  USING INDEX SEEK store:__GearStore(id)
  WITH properties(store).changed AS changed
  OPTIONAL MATCH (stamp:__GearStore)
  USING INDEX SEEK stamp:__GearStore(id)
  WHERE stamp.id STARTS WITH 'stamp/'
  WITH changed, sum(stamp.changed) AS stamps
  RETURN CASE stamps WHEN 0 THEN changed ELSE coalesce(changed, '') + '+' + stamps END AS version
}
UNWIND facts AS fact
WITH fact.triple AS t, fact.head AS s, fact.tail AS o, fact.headIn AS headIn, fact.tailIn AS tailIn, version
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object,
  elementId(s) AS head, labels(s) AS headLabels, headIn,
  elementId(o) AS tail, labels(o) AS tailLabels, tailIn, t.readers AS readers, version
ORDER BY id
