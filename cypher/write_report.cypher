// name: write_report(id, title, summary, rank, findings, error, model)
// access: write
// columns: communities
// Stores a model's report on a community, or the error. communities is 0 if the community no longer exists.
MATCH (c:__GearCommunity {id: $id})
SET c.title = $title, c.summary = $summary, c.rank = $rank, c.findings = $findings, c.error = $error,
  c.model = $model, c.reportedAt = datetime()
RETURN count(*) AS communities
