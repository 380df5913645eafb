// name: next_source(after)
// access: read
// The source that comes next in order; one at a time, for each may have passages without number.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(source)
WHERE p.source > $after
RETURN p.source AS source
ORDER BY source
LIMIT 1
