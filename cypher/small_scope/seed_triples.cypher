// name: seed_triples(query, k)
// access: read
// columns: id, subject, predicate, object, passage, score, head, tail
// scope: filtered
// As the query of the same name, under a scope of few passages: they are read instead of an index.
MATCH (p:Passage)
/*+ USING INDEX SEEK p:Passage(id) WHERE p.id IN $scope.ids AND IN_SCOPE_PASSAGE(p) */
MATCH (p)<-[:FROM]-(t:Triple)
/*+ WHERE IN_SCOPE_TRIPLE(t) */
WITH p, t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
WITH p, t, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score
ORDER BY score DESC, t.id
LIMIT $k
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, score,
  elementId(s) AS head, elementId(o) AS tail
ORDER BY score DESC, id
