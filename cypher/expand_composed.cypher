// name: expand_composed(beams, query, limit, hub, pool, degrees)
// access: read
// For each beam (ids of its triples, in order), the best triples that share an entity with its last one, best first.
// Triples that stand in any beam are left out. The score of a path is the cosine of the query and the normalised sum of
// the path's embeddings, put together from the cosines of the pieces: (s1 + ... + sn) / |e1 + ... + en|; below 0 it is 0.
// Of an entity in more than $hub triples only those in $pool are looked at, so that the work stays bounded.
// A row for each beam that has any: lists of id, subject, predicate, object, passage, score and, if $degrees asks for
// them, the degrees of both entities. Lists, for rows took the client as long as the server.
UNWIND range(0, size($beams) - 1) AS beam
WITH beam, $beams[beam] AS path, reduce(seen = [], ids IN $beams | seen + ids) AS visited
CALL (path) {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN path
  WITH collect(t.embedding) AS embeddings
  RETURN embeddings,
    reduce(sum = 0.0, e IN embeddings | sum + 2 * vector.similarity.cosine(e, $query) - 1) AS similarity,
    reduce(sum = 0.0, a IN embeddings | sum
      + reduce(row = 0.0, b IN embeddings | row + 2 * vector.similarity.cosine(a, b) - 1)) AS squared
}
CALL (path, visited, embeddings, similarity, squared) {
  MATCH (last:Triple {id: path[-1]})
  USING INDEX SEEK last:Triple(id)
  MATCH (last)-[:SUBJECT|OBJECT]->(e)
  WITH DISTINCT e, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree
  CALL (e, degree) {
    WITH e, degree
    WHERE degree <= $hub
    MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)
    RETURN t
    UNION ALL
    WITH e, degree
    WHERE degree > $hub
    MATCH (t:Triple)
    USING INDEX SEEK t:Triple(id)
    WHERE t.id IN $pool
    MATCH (t)-[:SUBJECT|OBJECT]->(e)
    RETURN t
  }
  WITH DISTINCT t
  WHERE NOT t.id IN visited
  WITH t, similarity + 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS numerator,
    squared + 1 + 2 * reduce(sum = 0.0, e IN embeddings | sum + 2 * vector.similarity.cosine(t.embedding, e) - 1)
      AS denominator
  WITH t, CASE WHEN numerator > 0 AND denominator > 0 THEN numerator / sqrt(denominator) ELSE 0.0 END AS score
  ORDER BY score DESC, t.id
  LIMIT $limit
  RETURN t, score
}
MATCH (t)-[:FROM]->(p)
RETURN beam, collect([t.id, t.subject, t.predicate, t.object, p.id, score, CASE WHEN $degrees
  THEN [(t)-[:SUBJECT|OBJECT]->(e) | COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }] END]) AS triples
