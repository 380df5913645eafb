// name: link_triples(vectors, query)
// access: read
// columns: place, id, subject, predicate, object, passage, closeness, score, degree
// scope: filtered
// As the query of the same name, under a scope of few passages: they are read instead of an index.
UNWIND range(0, size($vectors) - 1) AS place
WITH place, $vectors[place] AS vector
CALL (vector) {
  MATCH (p:Passage)
  /*+ USING INDEX SEEK p:Passage(id) WHERE p.id IN $scope.ids AND IN_SCOPE_PASSAGE(p) */
  MATCH (p)<-[:FROM]-(t:Triple)
  /*+ WHERE IN_SCOPE_TRIPLE(t) */
  WITH t, 2 * vector.similarity.cosine(t.embedding, vector) - 1 AS closeness
  ORDER BY closeness DESC, t.id
  LIMIT 1
  RETURN t, closeness
}
MATCH (t)-[:FROM]->(p)
CALL (t) {
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  RETURN max(COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }) AS degree
}
WITH place, t, p, closeness, degree, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
RETURN place, t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, closeness,
  CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score, degree
ORDER BY place
