// name: nearest_passages(query, k, candidates)
// access: read
// The k passages nearest to the query, best first: id and cosine. The index finds the candidates by quantised vectors,
// whose order is not exact; the stored vectors decide.
CALL db.index.vector.queryNodes('gear_passage_embedding', $candidates, $query) YIELD node
WITH node, 2 * vector.similarity.cosine(node.embedding, $query) - 1 AS score
RETURN node.id AS id, score
ORDER BY score DESC, id
LIMIT $k
