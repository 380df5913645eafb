// name: sources(after, limit)
// access: read
// columns: source, collections
// scope: filtered
// timeout: 30
// The next $limit sources after one in order; collections has a pair for each of its collections: the name, and the
// number of the source's passages there. The index gives the order, so that no more is read.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(source)
WHERE p.source > $after /*+ AND IN_SCOPE_PASSAGE(p) */
WITH p.source AS source, coalesce(p.collection, 'default') AS collection, count(*) AS passages
ORDER BY source, collection
WITH source, collect([collection, passages]) AS collections
RETURN source, collections
ORDER BY source
LIMIT $limit
