// name: start_triples(passages, query, limit)
// access: read
// The triples of the given passages that are nearest to the query, best first, with their cosines (0 at least): those
// that a passage states, and, of one that stands for a node of the user's, those that begin or end there; of either no
// more than 1,000 are looked at, for a node may have any number. The degree is that of the busier one of a triple's two
// entities: in how many triples it stands.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages
CALL (p) {
  MATCH (p)<-[:FROM]-(t:Triple)
  RETURN t
  LIMIT 1000
  UNION
  MATCH (p)-[:DESCRIBES]->()<-[:SUBJECT|OBJECT]-(t:Triple)
  RETURN t
  LIMIT 1000
}
WITH DISTINCT t
WITH t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
WITH t, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score
ORDER BY score DESC, t.id
LIMIT $limit
MATCH (t)-[:FROM]->(p)
CALL (t) {
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  RETURN max(COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }) AS degree
}
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, score, degree
ORDER BY score DESC, id
