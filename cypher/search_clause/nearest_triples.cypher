// name: nearest_triples(query, k)
// access: read
// columns: id
// The ids of the $k triples nearest to the query, by the vector index.
CYPHER 25
MATCH (t:Triple)
SEARCH t IN (VECTOR INDEX gear_triple_embedding FOR $query LIMIT $k)
RETURN t.id AS id
