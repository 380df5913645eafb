// name: link_synonyms(keys, k, threshold)
// access: write
// columns: written
// Links each entity to those of its $k nearest entities whose cosine reaches the threshold. An edge leads from the
// smaller key to the larger. written is the number of new edges.
UNWIND $keys AS key
MATCH (e:Entity {key: key})
USING INDEX SEEK e:Entity(key)
CALL (e) {
  WITH e.embedding AS vector
  // include: nearest_entities(node, vector, $k)
  RETURN node
}
WITH e, node, 2 * vector.similarity.cosine(e.embedding, node.embedding) - 1 AS score
WHERE node <> e AND score >= $threshold AND size(node.key) > 2
WITH DISTINCT CASE WHEN e.key < node.key THEN e ELSE node END AS a,
  CASE WHEN e.key < node.key THEN node ELSE e END AS b, score
MERGE (a)-[s:SYNONYM]->(b)
WITH s, score, s.score IS NULL AS new
SET s.score = coalesce(s.score, score)
WITH sum(CASE WHEN new THEN 1 ELSE 0 END) AS written
// include: graph_changed(written)
RETURN written
