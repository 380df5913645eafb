// name: count_source(source)
// access: read
// columns: collection, passages
// scope: filtered
// The number of passages of a source in each collection, in order of the collections' names.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
/*+ WHERE IN_SCOPE_PASSAGE(p) */
RETURN coalesce(p.collection, 'default') AS collection, count(*) AS passages
ORDER BY collection
