// name: count_adopted()
// access: read
// How many passages and triples stand for nodes and relationships of the user's, and whether there are other passages.
CALL () {
  MATCH (p:Passage)
  RETURN count(p.node) AS passages, count(p) > count(p.node) AS ingested
}
CALL () {
  MATCH (t:Triple)
  RETURN count(t.relationship) AS triples
}
RETURN passages, triples, ingested
