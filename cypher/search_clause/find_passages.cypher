// name: find_passages(queries, k, candidates, whole)
// access: read
// For each query {vector, text}, in order, what the indexes find, best first:
// dense: [id, cosine] of the k passages nearest to its vector. The index finds the candidates by quantised vectors, whose
//   order is not exact; the stored vectors decide.
// words: [id, score] of the k passages that Lucene scores best for its text, which is in Lucene's syntax.
// A query without vector or text finds nothing by it. If $whole, each of these lists goes on with the passage's title,
// text, source and position.
CYPHER 25
UNWIND range(0, size($queries) - 1) AS place
WITH place, $queries[place].vector AS vector, $queries[place].text AS text
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL
  MATCH (p:Passage)
  SEARCH p IN (VECTOR INDEX gear_passage_embedding FOR vector LIMIT $candidates)
  WITH p, 2 * vector.similarity.cosine(p.embedding, vector) - 1 AS score
  ORDER BY score DESC, p.id
  LIMIT $k
  RETURN collect([p.id, score] + CASE WHEN $whole THEN [p.title, p.text, p.source, p.position] ELSE [] END)
    AS dense
}
CALL (text) {
  WITH text
  WHERE text IS NOT NULL
  CALL db.index.fulltext.queryNodes('gear_passage_text', text, {limit: $k}) YIELD node, score
  WITH node, score
  ORDER BY score DESC, node.id
  RETURN collect([node.id, score]
    + CASE WHEN $whole THEN [node.title, node.text, node.source, node.position] ELSE [] END) AS words
}
RETURN dense, words
ORDER BY place
