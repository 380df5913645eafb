// name: seed_triples(query, k, candidates)
// access: read
// columns: id, subject, predicate, object, passage, score, head, tail
// scope: filtered
// The $k triples nearest to the query, best first. score is the cosine (at least 0), passage an id, head and tail the
// element ids of the ends. The index returns $candidates by quantised vectors; the stored vectors decide.
// include: nearest_triples(t, $query, $candidates)
WITH t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
WITH t, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score
ORDER BY score DESC, t.id
LIMIT $k
MATCH (t)-[:FROM]->(p)
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, score,
  elementId(s) AS head, elementId(o) AS tail
ORDER BY score DESC, id
