// name: link_entities(names, candidates)
// access: read
// For each name {key, vector}, in order, the entity of that key, or else the one whose embedding is nearest: its element
// id, name and cosine. Entities have embeddings once synonyms were linked; without, only the key can find one.
UNWIND range(0, size($names) - 1) AS place
WITH place, $names[place].key AS key, $names[place].vector AS vector
CALL (key, vector) {
  MATCH (e:Entity {key: key})
  USING INDEX SEEK e:Entity(key)
  RETURN e, 1.0 AS score, 0 AS second
  UNION ALL
  CALL db.index.vector.queryNodes('gear_entity_embedding', $candidates, vector) YIELD node
  RETURN node AS e, 2 * vector.similarity.cosine(node.embedding, vector) - 1 AS score, 1 AS second
}
WITH place, e, score, second
ORDER BY place, second, score DESC, e.key
WITH place, collect({id: elementId(e), name: e.name, score: score})[0] AS nearest
RETURN place, nearest.id AS id, nearest.name AS name, nearest.score AS score
ORDER BY place
