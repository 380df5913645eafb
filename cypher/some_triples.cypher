// name: some_triples(limit)
// access: read
// The texts of any so many triples.
MATCH (t:Triple)
RETURN t.text AS text
LIMIT $limit
