// name: move_passages(rows)
// access: write
// columns: none
// Updates position, source and metadata of passages whose text is unchanged.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
SET p.position = row.position, p.source = coalesce(row.source, p.source)
FOREACH (key IN [key IN keys(p) WHERE key STARTS WITH 'meta_' AND row.metadata[key] IS NULL] | SET p[key] = null)
SET p += row.metadata
WITH count(*) AS moved
// include: graph_changed(moved)
