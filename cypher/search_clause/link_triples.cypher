// name: link_triples(vectors, query, candidates)
// access: read
// For each vector, in order, the stored triple nearest to it (none in a database without triples): its parts, passage,
// the cosine of the two as closeness, its cosine to the query as score (0 at least), and degree: in how many triples the
// busier one of its two entities stands. The index finds the candidates by quantised vectors; the stored ones decide.
CYPHER 25
UNWIND range(0, size($vectors) - 1) AS place
WITH place, $vectors[place] AS vector
CALL (vector) {
  MATCH (t:Triple)
  SEARCH t IN (VECTOR INDEX gear_triple_embedding FOR vector LIMIT $candidates)
  WITH t, 2 * vector.similarity.cosine(t.embedding, vector) - 1 AS closeness
  ORDER BY closeness DESC, t.id
  LIMIT 1
  RETURN t, closeness
}
MATCH (t)-[:FROM]->(p)
CALL (t) {
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  RETURN max(COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }) AS degree
}
WITH place, t, p, closeness, degree, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
RETURN place, t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, closeness,
  CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score, degree
ORDER BY place
