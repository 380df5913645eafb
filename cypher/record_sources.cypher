// name: record_sources(rows, collection, origin)
// access: write
// columns: none
// Records documents that were read. Without an origin, which an ingest does not have, a document keeps the one that a sync
// has recorded.
UNWIND $rows AS row
MERGE (s:__GearSource {id: row.id})
SET s.collection = $collection, s.origin = coalesce($origin, s.origin, ''), s.name = row.name, s.version = row.version, s.digest = row.digest,
  s.problem = row.problem, s.options = row.options
