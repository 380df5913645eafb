// name: find_passages(queries, k, candidates, whole)
// access: read
// columns: dense, words
// scope: filtered
// Searches the indexes for each query {vector, text}, a row for each in order of the queries:
// - dense: [id, cosine] of the $k passages nearest to the vector, best first. The index returns $candidates by
//   quantised vectors, whose order is approximate; the stored vectors decide.
// - words: [id, score] of the $k passages with the best Lucene score for the text, which is in Lucene's query syntax.
// Without vector or text, the list is empty. With $whole, each item continues with the passage's title, text, source,
// position, collection and metadata.
CYPHER 25
UNWIND range(0, size($queries) - 1) AS place
WITH place, $queries[place].vector AS vector, $queries[place].text AS text
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL
  MATCH (p:Passage)
  SEARCH p IN (VECTOR INDEX gear_passage_embedding FOR vector /*+ IN_COLLECTION(p) */ LIMIT $candidates)
  /*+ WITH * WHERE IN_SCOPE_PASSAGE(p) */
  WITH p, 2 * vector.similarity.cosine(p.embedding, vector) - 1 AS score
  ORDER BY score DESC, p.id
  LIMIT $k
  RETURN collect([p.id, score] + CASE WHEN $whole THEN [p.title, p.text, p.source, p.position,
      p.collection, [key IN keys(p) WHERE key STARTS WITH 'meta_' | [key, p[key]]]] ELSE [] END)
    AS dense
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
