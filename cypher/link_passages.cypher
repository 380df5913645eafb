// name: link_passages(queries, k, candidates, triples, near)
// access: read
// columns: dense, words, stating
// scope: filtered
// Searches the indexes for each query {vector, text}, a row for each in order of the queries:
// - dense: [id, cosine] of the $k passages nearest to the vector, best first. The index returns $candidates by
//   quantised vectors, whose order is approximate; the stored vectors decide.
// - words: [id, score] of the $k passages with the best Lucene score for the text, which is in Lucene's query syntax.
// - stating: the ids of the passages of the $triples triples nearest to the vector. The index returns $near, which is
//   the same number, or more under a scope.
// Without vector or text, the list is empty. find_passages is the same query without the last column. It is separate
// because a server may refuse a query with an index that is still being built, and a passage search does not need the
// index of triples.
UNWIND range(0, size($queries) - 1) AS number
WITH number, $queries[number].vector AS vector, $queries[number].text AS text
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL
  // include: nearest_passages(p, vector, $candidates)
  WITH p, 2 * vector.similarity.cosine(p.embedding, vector) - 1 AS score
  ORDER BY score DESC, p.id
  LIMIT $k
  RETURN collect([p.id, score]) AS dense
}
CALL (text) {
  WITH text
  WHERE text IS NOT NULL
  // include: matching_passages(p, text, $k)
  RETURN collect([p.id, score]) AS words
}
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL AND $triples > 0
  // include: nearest_triples(t, vector, $near)
  WITH t, vector.similarity.cosine(t.embedding, vector) AS score
  ORDER BY score DESC, t.id
  /*+ LIMIT $triples */
  MATCH (t)-[:FROM]->(p)
  RETURN collect(p.id) AS stating
}
RETURN dense, words, stating
ORDER BY number
