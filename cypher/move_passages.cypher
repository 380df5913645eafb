// name: move_passages(rows)
// access: write
// columns: none
// Updates position and metadata of passages whose text is unchanged.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
SET p.position = row.position
FOREACH (key IN [key IN keys(p) WHERE key STARTS WITH 'meta_' AND row.metadata[key] IS NULL] | SET p[key] = null)
SET p += row.metadata
WITH count(*) AS moved
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
// What is kept under a filter of metadata is stale.
SET s.changed = randomUUID()
