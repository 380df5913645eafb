// name: start_triples(passages, query, limit)
// access: read
// The triples of the given passages that are nearest to the query, best first, with their cosines.
MATCH (p:Passage)
USING INDEX p:Passage(id)
WHERE p.id IN $passages
MATCH (p)<-[:FROM]-(t:Triple)
WITH t, p, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS score
ORDER BY score DESC, t.id
LIMIT $limit
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, score
