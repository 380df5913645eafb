// name: rename_documents(rows, collection, origin, renamed)
// access: write
// columns: none
// Renames the records of documents: their readers, and what syncs have read; the prefix $origin, the name of their
// origin, becomes $renamed. If a document already has the new name, only readers of both may read it.
// include: exclusive_lock()
UNWIND $rows AS row
CALL (row) {
  MATCH (s:__GearSource {id: row.from})
  USING INDEX SEEK s:__GearSource(id)
  WHERE NOT EXISTS { MATCH (:__GearSource {id: row.to}) }
  SET s.id = row.to, s.name = row.name,
    s.origin = CASE WHEN s.origin STARTS WITH $origin THEN $renamed + substring(s.origin, size($origin)) ELSE s.origin END
}
CALL (row) {
  MATCH (former:__GearReaders {id: row.from})
  USING INDEX SEEK former:__GearReaders(id)
  WITH former, former.readers AS readers
  DELETE former
  WITH readers
  OPTIONAL MATCH (other:__GearReaders {id: row.to})
  USING INDEX SEEK other:__GearReaders(id)
  WITH [name IN readers WHERE other IS NULL OR name IN other.readers] AS common
  MERGE (r:__GearReaders {id: row.to})
  SET r.collection = $collection, r.source = row.name, r.readers = CASE common WHEN [] THEN [''] ELSE common END
}
