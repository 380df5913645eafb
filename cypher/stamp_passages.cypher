// name: stamp_passages(after, collection, limit)
// access: write
// columns: last
// Puts the next $limit passages after $after, in order of id, and their triples into a collection, if they are in none.
// last is the id of the last passage; there is no row at the end.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id > $after
WITH p
ORDER BY p.id
LIMIT $limit
SET p.collection = coalesce(p.collection, $collection)
WITH p
CALL (p) {
  MATCH (p)<-[:FROM]-(t:Triple)
  WHERE t.collection IS NULL
  SET t.collection = p.collection, t.readers = p.readers
}
WITH max(p.id) AS last
WHERE last IS NOT NULL
// include: graph_written()
RETURN last
