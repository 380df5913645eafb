// name: find_passages(queries, k, whole)
// access: read
// columns: dense, words
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
  RETURN collect([p.id, score] + CASE WHEN $whole THEN [p.title, p.text, p.source, p.position,
      p.collection, [key IN keys(p) WHERE key STARTS WITH 'meta_' | [key, p[key]]]] ELSE [] END) AS dense
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
  RETURN collect([node.id, score]
    + CASE WHEN $whole THEN [node.title, node.text, node.source, node.position,
      node.collection, [key IN keys(node) WHERE key STARTS WITH 'meta_' | [key, node[key]]]] ELSE [] END) AS words
}
RETURN dense, words
ORDER BY place
