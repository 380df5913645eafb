// name: passages_of_source(source, limit)
// access: read
// columns: id
// The ids of up to $limit passages of a source. The caller deletes them before the next batch, so no order is needed.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
WHERE p.id IS NOT NULL
RETURN p.id AS id
LIMIT $limit
