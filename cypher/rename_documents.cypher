// name: rename_documents(rows, collection, origin, renamed)
// access: write
// columns: none
// Gives the records of documents, who may read them and what syncs have read, other names; those that begin with $origin as
// the name of their origin begin with $renamed. Where a document has the new name already, only who may read both may read
// it.
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
