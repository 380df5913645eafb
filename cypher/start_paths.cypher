// name: start_paths(passages, query, limit, weights, keep, hub, composed, degrees)
// access: read
// columns: start, longer, passages
// scope: filtered
// The first step of a walk from passages, in one row.
// - start: the $limit triples nearest to the query among those of the passages, best first, each as [id, subject,
//   predicate, object, passage, cosine (at least 0), [degree]], where degree is the higher degree of its two entities.
//   The triples of a passage are those extracted from it, and those at the user's node that it represents; at most
//   1,000 of each, because a node may have any number.
// - longer: the best $keep paths that extend these by one triple, as lists of the start triple's index and the triple
//   as expand returns it. Null if $keep is 0, or if a start triple has an entity with more than $hub triples: expand
//   then needs a pool.
// - passages: [id, title, text, source, position, collection, metadata] of the given passages, of those in start, and
//   of the first $limit in longer.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages /*+ AND IN_SCOPE_PASSAGE(p) */
WITH collect(p) AS given
CALL (given) {
  UNWIND given AS p
  CALL (p) {
    MATCH (p)<-[:FROM]-(t:Triple)
    /*+ WHERE STATED_IN_SCOPE(t) */
    RETURN t
    LIMIT 1000
    UNION
    MATCH (p)-[:DESCRIBES]->()<-[:SUBJECT|OBJECT]-(t:Triple)
    /*+ WHERE IN_SCOPE_TRIPLE(t) */
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
    RETURN collect(e) AS ends,
      max(
        // include: degree_up_to_hub(e)
      ) AS degree
  }
  MATCH (t)-[:FROM]->(p)
  RETURN collect(t) AS seen, $keep > 0 AND max(degree) <= $hub AS exact,
    collect([t.id, t.subject, t.predicate, t.object, p.id, score, [degree]]) AS start,
    collect({
      id: t.id,
      score: score,
      ends: ends,
      similarity: CASE WHEN $composed THEN cosine ELSE 0.0 END,
      embeddings: CASE WHEN $composed THEN [t.embedding] ELSE [] END
    }) AS beams,
    collect(DISTINCT p) AS stated
}
CALL (seen, exact, beams) {
  UNWIND CASE WHEN exact THEN range(0, size(beams) - 1) ELSE [] END AS number
  WITH number, beams[number] AS beam
  CALL (seen, beam) {
    UNWIND beam.ends AS e
    MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)
    WITH DISTINCT t
    WHERE NOT t IN seen /*+ AND IN_SCOPE_TRIPLE(t) */
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
  WITH number, beam, found[rank][0] AS t, found[rank][1] AS score, $weights[rank] AS weight
  ORDER BY (beam.score + score) * weight DESC, beam.id, t.id
  LIMIT $keep
  MATCH (t)-[:FROM]->(p)
  RETURN collect([number, t.id, t.subject, t.predicate, t.object, p.id, score, CASE WHEN $degrees
    THEN [(t)-[:SUBJECT|OBJECT]->(e) |
      // include: degree_up_to_hub(e)
    ]
    END]) AS longer,
    collect(DISTINCT p) AS reached
}
CALL (given, stated, reached) {
  UNWIND given + stated + reached[..$limit] AS p
  WITH DISTINCT p
  RETURN collect([p.id] +
    // include: whole_passage(p)
  ) AS passages
}
RETURN start, CASE WHEN exact THEN longer END AS longer, passages
