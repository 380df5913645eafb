// name: link_triples(vectors, query, candidates)
// access: read
// columns: number, id, subject, predicate, object, passage, closeness, score, degree
// scope: filtered
// For each vector, the nearest stored triple; no rows in a database without triples. number is the index of the vector,
// closeness the cosine of the two, score the cosine with the query (at least 0), degree the higher degree of the
// triple's two entities. The index returns $candidates by quantised vectors; the stored vectors decide.
UNWIND range(0, size($vectors) - 1) AS number
WITH number, $vectors[number] AS vector
CALL (vector) {
  // include: nearest_triples(t, vector, $candidates)
  WITH t, 2 * vector.similarity.cosine(t.embedding, vector) - 1 AS closeness
  ORDER BY closeness DESC, t.id
  LIMIT 1
  RETURN t, closeness
}
MATCH (t)-[:FROM]->(p)
CALL (t) {
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  RETURN max(
    // include: degree(e)
  ) AS degree
}
WITH number, t, p, closeness, degree, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
RETURN number, t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, closeness,
  CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score, degree
ORDER BY number
