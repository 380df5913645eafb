// name: documents_below(prefix, collection, after, limit)
// access: read
// columns: source, passages
// The next $limit documents of a collection after one, among those whose names have a prefix, in order, with their
// numbers of passages.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(source)
WHERE p.source STARTS WITH $prefix AND p.source > $after
WITH p
WHERE coalesce(p.collection, 'default') = $collection
RETURN p.source AS source, count(*) AS passages
ORDER BY source
LIMIT $limit
