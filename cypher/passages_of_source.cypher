// name: passages_of_source(source, collection, limit)
// access: read
// columns: id
// The ids of up to $limit passages of a source in a collection. The caller deletes them before the next batch, so no
// order is needed.
MATCH (p:Passage {source: $source})
USING INDEX SEEK p:Passage(source)
WHERE coalesce(p.collection, 'default') = $collection
RETURN p.id AS id
LIMIT $limit
