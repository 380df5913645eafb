// name: write_synonyms(pairs, keys)
// access: write
// columns: written
// Writes a synonym edge for each pair of keys that has none, from the smaller key to the larger, and marks the entities
// of $keys as linked. written is the number of new edges.
CALL () {
  UNWIND $pairs AS pair
  MATCH (a:Entity {key: pair.first})
  USING INDEX SEEK a:Entity(key)
  MATCH (b:Entity {key: pair.second})
  USING INDEX SEEK b:Entity(key)
  MERGE (a)-[s:SYNONYM]->(b)
  WITH s, pair, s.score IS NULL AS new
  SET s.score = coalesce(s.score, pair.score)
  RETURN sum(CASE WHEN new THEN 1 ELSE 0 END) AS written
}
CALL () {
  MATCH (e:Entity)
  USING INDEX SEEK e:Entity(key)
  WHERE e.key IN $keys
  SET e.synonymsLinked = true
}
// include: graph_changed(written)
RETURN written
