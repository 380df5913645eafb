// name: count_adopted()
// access: read
// columns: passages, triples, ingested
// passages and triples are the numbers of those that stand for the user's nodes and relationships; ingested is whether
// there are other passages as well.
CALL () {
  MATCH (p:Passage)
  RETURN count(p.node) AS passages, count(p) > count(p.node) AS ingested
}
CALL () {
  MATCH (t:Triple)
  RETURN count(t.relationship) AS triples
}
RETURN passages, triples, ingested
