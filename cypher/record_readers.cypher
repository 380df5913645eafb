// name: record_readers(rows, collection, widen, narrow)
// access: write
// columns: source, kept
// Records who may read documents, even if they have no passages; an empty list means everybody, and [''] nobody. kept says
// that the given readers would let more people read, and $widen is not set: then the record is unchanged, or, with
// $narrow, only those of its readers remain that are among the given ones.
// include: exclusive_lock()
UNWIND $rows AS row
OPTIONAL MATCH (former:__GearReaders {id: $collection + '/' + row.source})
USING INDEX SEEK former:__GearReaders(id)
WITH row, former.readers AS before
WITH row, before, NOT $widen AND before IS NOT NULL
  AND (row.readers = [] OR any(name IN row.readers WHERE name <> '' AND NOT name IN before)) AS kept
WITH row, kept, CASE
  WHEN NOT kept THEN row.readers
  WHEN NOT $narrow OR row.readers = [] THEN before
  WHEN none(name IN before WHERE name IN row.readers) THEN ['']
  ELSE [name IN before WHERE name IN row.readers]
END AS readers
CALL (row, readers) {
  WITH row, readers
  MERGE (r:__GearReaders {id: $collection + '/' + row.source})
  SET r.collection = $collection, r.source = row.source, r.readers = readers
  FOREACH (_ IN CASE readers WHEN [] THEN [1] ELSE [] END | DELETE r)
}
RETURN row.source AS source, kept
