// name: compare_passages(passages, keys, query)
// access: read
// Cosines, from which the part of the query that is not about the entities of the keys can be worked out: of the query
// with each entity that has an embedding (in order of key), of those with each other, and of each passage with the query
// and with each of them. One row; an entity has an embedding once synonyms were linked.
CALL () {
  MATCH (e:Entity)
  USING INDEX SEEK e:Entity(key)
  WHERE e.key IN $keys AND e.embedding IS NOT NULL
  WITH e
  ORDER BY e.key
  RETURN collect(e.embedding) AS names
}
CALL (names) {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(id)
  WHERE p.id IN $passages
  RETURN collect([p.id, 2 * vector.similarity.cosine(p.embedding, $query) - 1,
    [name IN names | 2 * vector.similarity.cosine(p.embedding, name) - 1]]) AS passages
}
RETURN [name IN names | 2 * vector.similarity.cosine(name, $query) - 1] AS query,
  [name IN names | [other IN names | 2 * vector.similarity.cosine(name, other) - 1]] AS between, passages
