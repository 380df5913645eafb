// name: reader_records(collection, after, limit)
// access: read
// columns: source, readers, passages
// The next $limit records of readers in a collection, in order of source, each with the current number of passages.
MATCH (r:__GearReaders)
USING INDEX SEEK r:__GearReaders(collection, source)
WHERE r.collection = $collection AND r.source > $after
WITH r
ORDER BY r.source
LIMIT $limit
CALL (r) {
  OPTIONAL MATCH (p:Passage {source: r.source})
  USING INDEX SEEK p:Passage(source)
  WHERE p.collection = r.collection
  RETURN count(p) AS passages
}
RETURN r.source AS source, r.readers AS readers, passages
ORDER BY source
