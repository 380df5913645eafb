// name: link_passages(queries, k, candidates, triples)
// access: read
// For each query {vector, text}, in order, what the indexes find, best first:
// dense: [id, cosine] of the k passages nearest to its vector. The index finds the candidates by quantised vectors, whose
//   order is not exact; the stored vectors decide.
// words: [id, score] of the k passages that Lucene scores best for its text, which is in Lucene's syntax.
// stating: the passages, each once, of the $triples triples nearest to its vector.
// A query without vector or text finds nothing by it. Without the last, it is find_passages, which is a query of its own,
// for a search must not need the index of the triples: while that is built, a server can refuse a query that names it.
UNWIND range(0, size($queries) - 1) AS place
WITH place, $queries[place].vector AS vector, $queries[place].text AS text
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL
  CALL db.index.vector.queryNodes('gear_passage_embedding', $candidates, vector) YIELD node
  WITH node, 2 * vector.similarity.cosine(node.embedding, vector) - 1 AS score
  ORDER BY score DESC, node.id
  LIMIT $k
  RETURN collect([node.id, score]) AS dense
}
CALL (text) {
  WITH text
  WHERE text IS NOT NULL
  CALL db.index.fulltext.queryNodes('gear_passage_text', text, {limit: $k}) YIELD node, score
  WITH node, score
  ORDER BY score DESC, node.id
  RETURN collect([node.id, score]) AS words
}
CALL (vector) {
  WITH vector
  WHERE vector IS NOT NULL AND $triples > 0
  CALL db.index.vector.queryNodes('gear_triple_embedding', $triples, vector) YIELD node
  WITH node, vector.similarity.cosine(node.embedding, vector) AS score
  ORDER BY score DESC, node.id
  MATCH (node)-[:FROM]->(p)
  RETURN collect(p.id) AS stating
}
RETURN dense, words, stating
ORDER BY place
