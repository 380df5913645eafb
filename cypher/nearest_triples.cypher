// name: nearest_triples(query, near, k)
// access: read
// columns: id
// scope: filtered
// The ids of the $k triples nearest to the query, by the vector index, which returns $near: the same number, or
// more under a scope.
CALL db.index.vector.queryNodes('gear_triple_embedding', $near, $query) YIELD node
/*+ WITH node WHERE IN_SCOPE_TRIPLE(node) */
RETURN node.id AS id
LIMIT $k
