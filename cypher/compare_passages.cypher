// name: compare_passages(passages, keys, vectors, query)
// access: read
// columns: query, between, passages
// scope: filtered
// Cosines for removing the given names from a query, in one row. The names are the entities of $keys that have an
// embedding, in order of key, then $vectors. query lists the cosine of the query with each name; between the cosines of
// the names with each other; passages has [id, cosine with the query, cosines with the names] for each passage.
CALL () {
  MATCH (e:Entity)
  USING INDEX SEEK e:Entity(key)
  WHERE e.key IN $keys AND e.embedding IS NOT NULL /*+ AND IN_SCOPE_ENTITY(e) */
  WITH e
  ORDER BY e.key
  RETURN collect(e.embedding) + $vectors AS names
}
CALL (names) {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(id)
  WHERE p.id IN $passages /*+ AND IN_SCOPE_PASSAGE(p) */
  RETURN collect([p.id, 2 * vector.similarity.cosine(p.embedding, $query) - 1,
    [name IN names | 2 * vector.similarity.cosine(p.embedding, name) - 1]]) AS passages
}
RETURN [name IN names | 2 * vector.similarity.cosine(name, $query) - 1] AS query,
  [name IN names | [other IN names | 2 * vector.similarity.cosine(name, other) - 1]] AS between, passages
