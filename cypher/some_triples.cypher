// name: some_triples(limit)
// access: read
// columns: text
// The texts of any $limit triples.
MATCH (t:Triple)
RETURN t.text AS text
LIMIT $limit
