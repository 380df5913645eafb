// name: passage_ids(prefix, limit)
// access: read
// columns: id
// scope: filtered
// The first $limit ids of passages that begin with a prefix, in order.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id STARTS WITH $prefix /*+ AND IN_SCOPE_PASSAGE(p) */
RETURN p.id AS id
ORDER BY id
LIMIT $limit
