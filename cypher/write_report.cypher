// name: write_report(id, title, summary, rank, findings, error, model, late)
// access: write
// columns: communities
// Stores a model's report on a community, or the error. $late lists the sets of readers of the report's sources if the
// graph has changed since the build, which then does not know all of them; otherwise it is null. communities is 0 if
// the community no longer exists.
MATCH (c:__GearCommunity {id: $id})
SET c.title = $title, c.summary = $summary, c.rank = $rank, c.findings = $findings, c.error = $error,
  c.model = $model, c.reportedAt = datetime(), c.lateReaders = $late
RETURN count(*) AS communities
