// name: export_facts()
// access: read
// Every passage in order of id, with the two ends of each of its triples, by the element ids of the nodes: those may be
// the user's own, which have no key of ours.
MATCH (p:Passage)
WITH p
ORDER BY p.id
CALL (p) {
  MATCH (p)<-[:FROM]-(t)
  MATCH (t)-[:SUBJECT]->(s)
  MATCH (t)-[:OBJECT]->(o)
  RETURN collect([elementId(s), elementId(o)]) AS facts
}
RETURN p.id AS passage, facts
