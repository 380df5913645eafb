// name: count_adopted()
// access: read
// columns: passages, triples, ingested
// The numbers of passages that represent the user's nodes and of triples that represent the user's relationships or
// properties; ingested is whether there are also other passages.
CALL () {
  MATCH (p:Passage)
  RETURN count(p.node) AS passages, count(p) > count(p.node) AS ingested
}
CALL () {
  MATCH (t:Triple)
  RETURN count(coalesce(t.relationship, t.property)) AS triples
}
RETURN passages, triples, ingested
