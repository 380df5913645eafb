// name: count_source(source)
// access: read
// How many passages a source has.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
RETURN count(p) AS passages
