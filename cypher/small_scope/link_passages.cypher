// name: link_passages(queries, k, triples)
// access: read
// columns: dense, words, stating
// scope: filtered
// As the query of the same name, under a scope of few passages: they are read instead of an index.
UNWIND range(0, size($queries) - 1) AS place
WITH place, $queries[place].vector AS vector, $queries[place].text AS text
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL
  MATCH (p:Passage)
  /*+ USING INDEX SEEK p:Passage(id) WHERE p.id IN $scope.ids AND IN_SCOPE_PASSAGE(p) */
  WITH p, 2 * vector.similarity.cosine(p.embedding, vector) - 1 AS score
  ORDER BY score DESC, p.id
  LIMIT $k
  RETURN collect([p.id, score]) AS dense
}
CALL (text) {
  WITH text
  WHERE text IS NOT NULL
  CALL db.index.fulltext.queryNodes('gear_passage_text', text, {limit: $k /*+ * toInteger(ceil($scope.factor)) */})
    YIELD node, score
  /*+ WITH * WHERE IN_SCOPE_PASSAGE(node) */
  WITH node, score
  ORDER BY score DESC, node.id
  /*+ LIMIT $k */
  RETURN collect([node.id, score]) AS words
}
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL AND $triples > 0
  MATCH (p:Passage)
  /*+ USING INDEX SEEK p:Passage(id) WHERE p.id IN $scope.ids AND IN_SCOPE_PASSAGE(p) */
  MATCH (p)<-[:FROM]-(t:Triple)
  /*+ WHERE IN_SCOPE_TRIPLE(t) */
  WITH p, t, vector.similarity.cosine(t.embedding, vector) AS score
  ORDER BY score DESC, t.id
  LIMIT $triples
  RETURN collect(p.id) AS stating
}
RETURN dense, words, stating
ORDER BY place
