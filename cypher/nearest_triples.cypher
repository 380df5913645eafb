// name: nearest_triples(query, k)
// access: read
// columns: id
// The ids of the $k triples nearest to the query, by the vector index.
CALL db.index.vector.queryNodes('gear_triple_embedding', $k, $query) YIELD node
RETURN node.id AS id
