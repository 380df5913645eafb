// name: passages_of_source(source, limit)
// access: read
// The ids of some passages of a source; once those are deleted, of others, so that no order is needed.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
WHERE p.id IS NOT NULL
RETURN p.id AS id
LIMIT $limit
