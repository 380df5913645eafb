// name: expand_last(beams, query, limit, hub, pool, degrees)
// access: read
// For each beam (ids of its triples, in order), the triples that share an entity with its last one and are nearest to
// the query, best first, with their cosines (0 at least). Triples that stand in any beam are left out.
// Of an entity in more than $hub triples only those in $pool are looked at, so that the work stays bounded.
// A row for each beam that has any: lists of id, subject, predicate, object, passage, score and, if $degrees asks for
// them, the degrees of both entities. Lists, for rows took the client as long as the server.
UNWIND range(0, size($beams) - 1) AS beam
WITH beam, $beams[beam] AS path, reduce(seen = [], ids IN $beams | seen + ids) AS visited
CALL (path, visited) {
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
  WITH t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
  WITH t, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score
  ORDER BY score DESC, t.id
  LIMIT $limit
  RETURN t, score
}
MATCH (t)-[:FROM]->(p)
RETURN beam, collect([t.id, t.subject, t.predicate, t.object, p.id, score, CASE WHEN $degrees
  THEN [(t)-[:SUBJECT|OBJECT]->(e) | COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }] END]) AS triples
