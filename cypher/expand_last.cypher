// name: expand_last(beams, query, limit)
// access: read
// For each beam (ids of its triples, in order), the triples that share an entity with its last one and are nearest to
// the query, best first, with their cosines. Triples that stand in any beam are left out.
UNWIND range(0, size($beams) - 1) AS beam
WITH beam, $beams[beam] AS path, reduce(seen = [], ids IN $beams | seen + ids) AS visited
CALL (path, visited) {
  MATCH (last:Triple {id: path[-1]})
  USING INDEX last:Triple(id)
  MATCH (last)-[:SUBJECT|OBJECT]->()<-[:SUBJECT|OBJECT]-(t:Triple)
  WHERE NOT t.id IN visited
  WITH DISTINCT t
  WITH t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS score
  ORDER BY score DESC, t.id
  LIMIT $limit
  MATCH (t)-[:FROM]->(p)
  RETURN t, p, score
}
RETURN beam, t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, score
ORDER BY beam, score DESC, id
