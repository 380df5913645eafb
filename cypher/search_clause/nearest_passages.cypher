// name: nearest_passages(query, k, candidates)
// access: read
// The k passages nearest to the query, best first: id and cosine. The index finds the candidates by quantised vectors,
// whose order is not exact; the stored vectors decide.
CYPHER 25
MATCH (p:Passage)
SEARCH p IN (VECTOR INDEX gear_passage_embedding FOR $query LIMIT $candidates)
WITH p, 2 * vector.similarity.cosine(p.embedding, $query) - 1 AS score
RETURN p.id AS id, score
ORDER BY score DESC, id
LIMIT $k
