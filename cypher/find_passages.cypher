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
UNWIND range(0, size($queries) - 1) AS number
WITH number, $queries[number].vector AS vector, $queries[number].text AS text
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL
  // include: nearest_passages(p, vector, $candidates)
  WITH p, 2 * vector.similarity.cosine(p.embedding, vector) - 1 AS score
  ORDER BY score DESC, p.id
  LIMIT $k
  RETURN collect([p.id, score] + CASE WHEN $whole THEN
    // include: whole_passage(p)
    ELSE [] END) AS dense
}
CALL (text) {
  WITH text
  WHERE text IS NOT NULL
  // include: matching_passages(p, text, $k)
  RETURN collect([p.id, score] + CASE WHEN $whole THEN
    // include: whole_passage(p)
    ELSE [] END) AS words
}
RETURN dense, words
ORDER BY number
