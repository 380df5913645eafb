// name: next_source(after)
// access: read
// columns: source
// The source that follows $after in order. One source per query, because a source may have any number of passages.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(source)
WHERE p.source > $after
RETURN p.source AS source
ORDER BY source
LIMIT 1
