// name: stamp_communities(rows, moved, restricted)
// access: write
// columns: communities
// Stores the sets of readers of communities, and the marks of begin_communities from before they were built; until
// then, no scope admits them. A report that uses more than the build is deleted if anything has lost readers meanwhile,
// because the report may use it.
UNWIND $rows AS row
MATCH (c:__GearCommunity {id: row.id})
USING INDEX SEEK c:__GearCommunity(id)
FOREACH (report IN CASE WHEN c.lateReaders IS NOT NULL AND c.restricted <> $restricted THEN [c] ELSE [] END |
  REMOVE report.title, report.summary, report.rank, report.findings, report.lateReaders)
SET c.readerSets = row.readers, c.moved = $moved, c.restricted = $restricted
RETURN count(*) AS communities
