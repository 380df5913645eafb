// name: write_report(id, title, summary, rank, findings, error, model)
// access: write
// What a model reported of a community, or why it could not.
MATCH (c:__GearCommunity {id: $id})
SET c.title = $title, c.summary = $summary, c.rank = $rank, c.findings = $findings, c.error = $error,
  c.model = $model, c.reportedAt = datetime()
RETURN count(*) AS communities
