// name: count_sources()
// access: read
// columns: sources
// The number of sources of all passages.
MATCH (p:Passage)
WHERE p.source IS NOT NULL
RETURN count(DISTINCT p.source) AS sources
