// name: expand(beams, scores, weights, keep, query, hub, pool, degrees, composed)
// access: read
// columns: beam, triples
// scope: filtered
// Extends beams by one triple and returns the best $keep paths. A beam is a list of triple ids in order; the new triple
// shares an entity with the last triple and is in none of the beams.
// If $composed, the similarity of a path is the cosine of the query and the sum of the path's embeddings, computed from
// pairwise cosines: (s1 + ... + sn) / |e1 + ... + en|. Otherwise it is the cosine of the query and the new triple.
// Negative similarities count as 0. The most similar candidates of a beam are ranked, as many as there are $weights;
// the score of a path is (the beam's score + its similarity) * the weight of its rank.
// At a hub, an entity with more than $hub triples, only the triples in $pool are candidates, to limit the work.
// A row for each beam that has a path among the best: beam (its index) and triples, a list of [id, subject, predicate,
// object, passage, similarity, degrees]. degrees has the degrees of the triple's entities, or is null without $degrees.
// These are lists, because with a row for each triple, the client took as long as the server.
CALL () {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN $pool /*+ AND IN_SCOPE_TRIPLE(t) */
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  RETURN collect([e, t]) AS pool
}
UNWIND range(0, size($beams) - 1) AS beam
WITH beam, pool, $beams[beam] AS path, reduce(seen = [], ids IN $beams | seen + ids) AS visited
CALL (path) {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN CASE WHEN $composed THEN path ELSE [] END /*+ AND IN_SCOPE_TRIPLE(t) */
  WITH collect(t.embedding) AS embeddings
  RETURN embeddings,
    reduce(sum = 0.0, e IN embeddings | sum + 2 * vector.similarity.cosine(e, $query) - 1) AS similarity,
    reduce(sum = 0.0, a IN embeddings | sum
      + reduce(row = 0.0, b IN embeddings | row + 2 * vector.similarity.cosine(a, b) - 1)) AS squared
}
CALL (path, visited, pool, embeddings, similarity, squared) {
  MATCH (last:Triple {id: path[-1]})
  USING INDEX SEEK last:Triple(id)
  /*+ WHERE IN_SCOPE_TRIPLE(last) */
  MATCH (last)-[:SUBJECT|OBJECT]->(e)
  WITH DISTINCT e,
    // include: degree_up_to_hub(e)
    AS degree
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
  WHERE NOT t.id IN visited /*+ AND IN_SCOPE_TRIPLE(t) */
  WITH t, similarity + 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS numerator,
    squared + 1 + 2 * reduce(sum = 0.0, e IN embeddings | sum + 2 * vector.similarity.cosine(t.embedding, e) - 1)
      AS denominator
  WITH t, CASE WHEN numerator > 0 AND denominator > 0 THEN numerator / sqrt(denominator) ELSE 0.0 END AS score
  ORDER BY score DESC, t.id
  LIMIT size($weights)
  RETURN collect([t, score]) AS found
}
UNWIND range(0, size(found) - 1) AS number
WITH beam, path, found[number][0] AS t, found[number][1] AS score, $weights[number] AS weight
ORDER BY ($scores[beam] + score) * weight DESC, path + [t.id]
LIMIT $keep
MATCH (t)-[:FROM]->(p)
RETURN beam, collect([t.id, t.subject, t.predicate, t.object, p.id, score, CASE WHEN $degrees
  THEN [(t)-[:SUBJECT|OBJECT]->(e) |
    // include: degree_up_to_hub(e)
  ]
  END]) AS triples
