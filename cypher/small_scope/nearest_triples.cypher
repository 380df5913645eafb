// name: nearest_triples(query, k)
// access: read
// columns: id
// scope: filtered
// As the query of the same name, under a scope of few passages: they are read instead of an index.
MATCH (p:Passage)
/*+ USING INDEX SEEK p:Passage(id) WHERE p.id IN $scope.ids AND IN_SCOPE_PASSAGE(p) */
MATCH (p)<-[:FROM]-(t:Triple)
/*+ WHERE IN_SCOPE_TRIPLE(t) */
WITH t, vector.similarity.cosine(t.embedding, $query) AS score
ORDER BY score DESC, t.id
LIMIT $k
RETURN t.id AS id
