// name: record_readers(rows, collection, widen)
// access: write
// columns: source, kept
// Records who may read documents, even if they have no passages; an empty list means everybody. kept says that the
// record is unchanged, because the given readers would let more people read, and $widen is not set.
// include: exclusive_lock()
UNWIND $rows AS row
OPTIONAL MATCH (former:__GearReaders {id: $collection + '/' + row.source})
USING INDEX SEEK former:__GearReaders(id)
WITH row, former.readers AS before
WITH row, NOT $widen AND before IS NOT NULL
  AND (row.readers = [] OR any(name IN row.readers WHERE NOT name IN before)) AS kept
CALL (row, kept) {
  WITH row, kept
  WHERE NOT kept
  MERGE (r:__GearReaders {id: $collection + '/' + row.source})
  SET r.collection = $collection, r.source = row.source, r.readers = row.readers
  FOREACH (_ IN CASE row.readers WHEN [] THEN [1] ELSE [] END | DELETE r)
}
RETURN row.source AS source, kept
