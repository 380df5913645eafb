// name: record_ingested(rows, collection)
// access: write
// columns: none
// Records documents that an ingest has read. One that a sync has read before keeps its origin.
UNWIND $rows AS row
MERGE (s:__GearSource {id: row.id})
ON CREATE SET s.collection = $collection, s.origin = '', s.name = row.name
SET s.version = row.version, s.digest = row.digest, s.problem = row.problem, s.options = row.options
