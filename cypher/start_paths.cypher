// name: start_paths(passages, query, limit, weights, keep, hub, composed, degrees)
// access: read
// How a walk from passages begins, in one row.
// start: their $limit triples that are nearest to the query, best first; of each, a list of id, subject, predicate,
// object, passage, cosine (0 at least) and a list of one degree: in how many triples the busier one of its two entities
// stands. They are those that a passage states, and, of one that stands for a node of the user's, those that begin or
// end there; of either no more than 1,000 are looked at, for a node may have any number.
// longer: the best $keep paths that these become by one triple more, as expand tells them, each after the place of its
// start triple; null if none are to be kept, or where one starts at an entity in more than $hub triples, for expand
// needs a pool then.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages
CALL (p) {
  MATCH (p)<-[:FROM]-(t:Triple)
  RETURN t
  LIMIT 1000
  UNION
  MATCH (p)-[:DESCRIBES]->()<-[:SUBJECT|OBJECT]-(t:Triple)
  RETURN t
  LIMIT 1000
}
WITH DISTINCT t
WITH t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
WITH t, cosine, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score
ORDER BY score DESC, t.id
LIMIT $limit
CALL (t) {
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  WITH DISTINCT e
  RETURN collect(e) AS ends, max(COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }) AS degree
}
MATCH (t)-[:FROM]->(p)
WITH collect(t) AS seen, $keep > 0 AND max(degree) <= $hub AS exact,
  collect([t.id, t.subject, t.predicate, t.object, p.id, score, [degree]]) AS start,
  collect({
    id: t.id,
    score: score,
    ends: ends,
    similarity: CASE WHEN $composed THEN cosine ELSE 0.0 END,
    embeddings: CASE WHEN $composed THEN [t.embedding] ELSE [] END
  }) AS beams
CALL (seen, exact, beams) {
  UNWIND CASE WHEN exact THEN range(0, size(beams) - 1) ELSE [] END AS place
  WITH place, beams[place] AS beam
  CALL (seen, beam) {
    UNWIND beam.ends AS e
    MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)
    WITH DISTINCT t
    WHERE NOT t IN seen
    WITH t, beam.similarity + 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS numerator,
      size(beam.embeddings) + 1
        + 2 * reduce(sum = 0.0, e IN beam.embeddings | sum + 2 * vector.similarity.cosine(t.embedding, e) - 1)
        AS denominator
    WITH t, CASE WHEN numerator > 0 AND denominator > 0 THEN numerator / sqrt(denominator) ELSE 0.0 END AS score
    ORDER BY score DESC, t.id
    LIMIT size($weights)
    RETURN collect([t, score]) AS found
  }
  UNWIND range(0, size(found) - 1) AS rank
  WITH place, beam, found[rank][0] AS t, found[rank][1] AS score, $weights[rank] AS weight
  ORDER BY (beam.score + score) * weight DESC, beam.id, t.id
  LIMIT $keep
  MATCH (t)-[:FROM]->(p)
  RETURN collect([place, t.id, t.subject, t.predicate, t.object, p.id, score, CASE WHEN $degrees
    THEN [(t)-[:SUBJECT|OBJECT]->(e) | COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() }] END]) AS longer
}
RETURN start, CASE WHEN exact THEN longer END AS longer
