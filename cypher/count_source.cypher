// name: count_source(source, collection)
// access: read
// columns: passages
// The number of passages of a source in a collection.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
WHERE coalesce(p.collection, 'default') = $collection
RETURN count(p) AS passages
