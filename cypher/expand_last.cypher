// name: expand_last(beams, scores, weights, keep, query, hub, pool, degrees)
// access: read
// As expand_composed, but a path is as similar to the query as its newest triple is by itself: their cosine, 0 at least.
CALL () {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN $pool
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  RETURN collect([e, t]) AS pool
}
UNWIND range(0, size($beams) - 1) AS beam
WITH beam, pool, $beams[beam] AS path, reduce(seen = [], ids IN $beams | seen + ids) AS visited
CALL (path, visited, pool) {
  MATCH (last:Triple {id: path[-1]})
  USING INDEX SEEK last:Triple(id)
  MATCH (last)-[:SUBJECT|OBJECT]->(e)
  WITH DISTINCT e, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree
  CALL (e, degree, pool) {
    WITH e, degree
    WHERE degree <= $hub
    MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)
    RETURN t
    UNION ALL
    WITH e, degree, pool
    WHERE degree > $hub
    UNWIND [one IN pool WHERE one[0] = e | one[1]] AS t
    RETURN t
  }
  WITH DISTINCT t
  WHERE NOT t.id IN visited
  WITH t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
  WITH t, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score
  ORDER BY score DESC, t.id
  LIMIT size($weights)
  RETURN collect([t, score]) AS found
}
UNWIND range(0, size(found) - 1) AS place
WITH beam, path, found[place][0] AS t, found[place][1] AS score, $weights[place] AS weight
ORDER BY ($scores[beam] + score) * weight DESC, path + [t.id]
LIMIT $keep
MATCH (t)-[:FROM]->(p)
RETURN beam, collect([t.id, t.subject, t.predicate, t.object, p.id, score, CASE WHEN $degrees
  THEN [(t)-[:SUBJECT|OBJECT]->(e) | COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }] END]) AS triples
