// name: export_facts()
// access: read
// columns: passage, facts
// scope: filtered
// All passages in order of id: passage (its id), and facts, the [head, tail] pairs of its triples. The ends are element
// ids, because the user's own nodes have no key.
MATCH (p:Passage)
/*+ WHERE IN_SCOPE_PASSAGE(p) */
WITH p
ORDER BY p.id
CALL (p) {
  MATCH (p)<-[:FROM]-(t)
  /*+ WHERE STATED_IN_SCOPE(t) */
  MATCH (t)-[:SUBJECT]->(s)
  MATCH (t)-[:OBJECT]->(o)
  RETURN collect([elementId(s), elementId(o)]) AS facts
}
RETURN p.id AS passage, facts
