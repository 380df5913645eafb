// name: count_source(source, collection)
// access: read
// columns: passages
// scope: filtered
// The number of passages of a source in a collection.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
WHERE coalesce(p.collection, 'default') = $collection /*+ AND IN_SCOPE_PASSAGE(p) */
RETURN count(p) AS passages
