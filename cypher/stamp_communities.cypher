// name: stamp_communities(rows, moved, restricted)
// access: write
// columns: communities
// Sets the sets of readers of communities, and the marks that begin_communities gave before they were built; until then
// no scope admits them. A report that rests on more than the build goes, if readers were taken from something meanwhile:
// that may be it.
UNWIND $rows AS row
MATCH (c:__GearCommunity {id: row.id})
USING INDEX SEEK c:__GearCommunity(id)
FOREACH (report IN CASE WHEN c.lateReaders IS NOT NULL AND c.restricted <> $restricted THEN [c] ELSE [] END |
  REMOVE report.title, report.summary, report.rank, report.findings, report.lateReaders)
SET c.readerSets = row.readers, c.moved = $moved, c.restricted = $restricted
RETURN count(*) AS communities
