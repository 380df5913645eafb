// name: nearest_triples(query, near, k)
// access: read
// columns: id
// scope: filtered
// The ids of the $k triples nearest to the query, by the vector index, which returns $near: the same number, or
// more under a scope.
// include: nearest_triples(t, $query, $near)
// include: nearest_first(t, $query)
RETURN t.id AS id
LIMIT $k
