// name: expand(beams, scores, weights, keep, query, hub, pool, degrees, composed)
// access: read
// The best $keep paths that beams (ids of their triples, in order) become by one triple more, which shares an entity with
// their last one and stands in none of them. The similarity of a path is, if it is $composed, the cosine of the query and
// the normalised sum of its embeddings, put together from the cosines of the pieces: (s1 + ... + sn) / |e1 + ... + en|;
// otherwise its newest triple is looked at alone. Below 0 it is 0. Of a beam's candidates as many as there are $weights
// are ranked, the most similar ones; a path is worth (the beam's score + its similarity) * the weight of its place there.
// Of an entity in more than $hub triples only those in $pool are looked at, so that the work stays bounded.
// A row for each beam with a path among the best: lists of id, subject, predicate, object, passage, similarity and, if
// $degrees asks for them, the degrees of both entities. Lists, for rows took the client as long as the server.
CALL () {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN $pool
  MATCH (t)-[:SUBJECT|OBJECT]->(e)
  RETURN collect([e, t]) AS pool
}
UNWIND range(0, size($beams) - 1) AS beam
WITH beam, pool, $beams[beam] AS path, reduce(seen = [], ids IN $beams | seen + ids) AS visited
CALL (path) {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN CASE WHEN $composed THEN path ELSE [] END
  WITH collect(t.embedding) AS embeddings
  RETURN embeddings,
    reduce(sum = 0.0, e IN embeddings | sum + 2 * vector.similarity.cosine(e, $query) - 1) AS similarity,
    reduce(sum = 0.0, a IN embeddings | sum
      + reduce(row = 0.0, b IN embeddings | row + 2 * vector.similarity.cosine(a, b) - 1)) AS squared
}
CALL (path, visited, pool, embeddings, similarity, squared) {
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
  WITH t, similarity + 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS numerator,
    squared + 1 + 2 * reduce(sum = 0.0, e IN embeddings | sum + 2 * vector.similarity.cosine(t.embedding, e) - 1)
      AS denominator
  WITH t, CASE WHEN numerator > 0 AND denominator > 0 THEN numerator / sqrt(denominator) ELSE 0.0 END AS score
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
