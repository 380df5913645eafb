// name: link_entities(names, candidates)
// access: read
// columns: number, id, name, score
// scope: filtered
// For each name {key, vector}, the entity with that key, or else the entity with the nearest embedding. number is the
// index of the name, id an element id, score the cosine. Entities get embeddings when synonyms are linked; before that,
// only the key can match.
UNWIND range(0, size($names) - 1) AS number
WITH number, $names[number].key AS key, $names[number].vector AS vector
CALL (key, vector) {
  MATCH (e:Entity {key: key})
  USING INDEX SEEK e:Entity(key)
  /*+ WHERE IN_SCOPE_ENTITY(e) */
  RETURN e, 1.0 AS score, 0 AS second
  UNION ALL
  // include: nearest_entities(e, vector, $candidates)
  RETURN e, 2 * vector.similarity.cosine(e.embedding, vector) - 1 AS score, 1 AS second
}
WITH number, e, score, second
ORDER BY number, second, score DESC, e.key
WITH number, collect({id: elementId(e), name: coalesce(/*+ SPELLING(e), */ e.name), score: score})[0] AS nearest
RETURN number, nearest.id AS id, nearest.name AS name, nearest.score AS score
ORDER BY number
