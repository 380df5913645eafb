// name: count_adopted()
// access: read
// columns: passages, triples, ingested
// The numbers of passages that stand for nodes and of triples that stand for relationships or properties of the user's;
// ingested is whether there are other passages as well.
CALL () {
  MATCH (p:Passage)
  RETURN count(p.node) AS passages, count(p) > count(p.node) AS ingested
}
CALL () {
  MATCH (t:Triple)
  RETURN count(coalesce(t.relationship, t.property)) AS triples
}
RETURN passages, triples, ingested
