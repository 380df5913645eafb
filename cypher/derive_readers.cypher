// name: derive_readers(after, limit)
// access: write
// columns: last, recorded, restricted
// Records the readers of the next $limit sources after one, as written by an older version, and gives all passages of a
// document, with their triples, the same: the readers that all its restricted passages have in common, or nobody.
// Lines of JSONL, whose passages have no position, may have different readers: they only get a record if all agree. The
// columns are the last source, or null at the end, and the numbers of records and of changed passages.
// include: exclusive_lock()
CALL () {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(source)
  WHERE p.source > $after
  WITH DISTINCT p.source AS source
  ORDER BY source
  LIMIT $limit
  RETURN collect(source) AS sources
}
CALL (sources) {
  UNWIND sources AS source
  MATCH (p:Passage {source: source})
  USING INDEX SEEK p:Passage(source)
  WITH source, coalesce(p.collection, 'default') AS collection, p.position IS NOT NULL AS document,
    count(*) > count(p.readers) AS open, collect(DISTINCT p.readers) AS sets, collect(p) AS passages
  WHERE sets <> [] AND (document OR (NOT open AND size(sets) = 1))
  WITH source, collection, passages,
    reduce(common = sets[0], one IN sets | [name IN common WHERE name IN one]) AS common
  WITH source, collection, passages, CASE common WHEN [] THEN [''] ELSE common END AS readers
  MERGE (r:__GearReaders {id: collection + '/' + source})
  ON CREATE SET r.collection = collection, r.source = source, r.readers = readers
  WITH readers, [p IN passages WHERE coalesce(p.readers, []) <> readers] AS passages
  CALL (passages, readers) {
    UNWIND passages AS p
    SET p.readers = readers
    WITH p
    OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
    SET t.readers = p.readers
    RETURN count(DISTINCT p) AS changed
  }
  RETURN count(*) AS recorded, sum(changed) AS restricted
}
WITH sources, recorded, restricted
// include: graph_changed(restricted)
RETURN CASE size(sources) WHEN 0 THEN null ELSE sources[-1] END AS last, recorded, restricted
