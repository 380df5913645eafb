// name: nearest_triples(query, near, k)
// access: read
// columns: id
// scope: filtered
// The ids of the $k triples nearest to the query, by the vector index, which returns $near: the same number, or
// more under a scope.
CYPHER 25
MATCH (t:Triple)
SEARCH t IN (VECTOR INDEX gear_triple_embedding FOR $query /*+ IN_COLLECTION(t) */ LIMIT $near)
/*+ WITH t WHERE IN_SCOPE_TRIPLE(t) */
RETURN t.id AS id
LIMIT $k
