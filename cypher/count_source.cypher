// name: count_source(source)
// access: read
// columns: passages
// The number of passages of a source.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
RETURN count(p) AS passages
