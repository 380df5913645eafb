// name: record_sources(rows, collection, origin)
// access: write
// columns: none
// Records documents that a sync has read.
UNWIND $rows AS row
MERGE (s:__GearSource {id: row.id})
SET s.collection = $collection, s.origin = $origin, s.name = row.name, s.version = row.version, s.digest = row.digest,
  s.problem = row.problem, s.options = row.options
