// name: passages_of_collection(collection, limit)
// access: read
// columns: id
// The ids of up to $limit passages of a collection. The caller deletes them before the next batch, so no order is
// needed.
MATCH (p:Passage {collection: $collection})
USING INDEX SEEK p:Passage(collection)
RETURN p.id AS id
LIMIT $limit
