// name: link_entities(names)
// access: read
// columns: place, id, name, score
// scope: filtered
// As the query of the same name, under a scope of few passages: they are read instead of an index.
UNWIND range(0, size($names) - 1) AS place
WITH place, $names[place].key AS key, $names[place].vector AS vector
CALL (key, vector) {
  MATCH (e:Entity {key: key})
  USING INDEX SEEK e:Entity(key)
  /*+ WHERE IN_SCOPE_ENTITY(e) */
  RETURN e, 1.0 AS score, 0 AS second
  UNION ALL
  MATCH (p:Passage)
  /*+ USING INDEX SEEK p:Passage(id) WHERE p.id IN $scope.ids AND IN_SCOPE_PASSAGE(p) */
  MATCH (p)<-[:FROM]-(t:Triple)-[:SUBJECT|OBJECT]->(node:Entity)
  WHERE node.embedding IS NOT NULL /*+ AND IN_SCOPE_TRIPLE(t) */
  WITH DISTINCT node, vector
  RETURN node AS e, 2 * vector.similarity.cosine(node.embedding, vector) - 1 AS score, 1 AS second
}
WITH place, e, score, second
ORDER BY place, second, score DESC, e.key
WITH place, collect({id: elementId(e), name: coalesce(/*+ SPELLING(e), */ e.name), score: score})[0] AS nearest
RETURN place, nearest.id AS id, nearest.name AS name, nearest.score AS score
ORDER BY place
