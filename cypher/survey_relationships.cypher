// name: survey_relationships(types, limit, longest)
// access: read
// columns: type, texts, numbers
// A sample of the relationships of the given types: type, texts ([property, text] pairs, truncated), and numbers (the
// names of the integer properties).
MATCH ()-[r:$any($types)]->()
WITH r
LIMIT $limit
RETURN type(r) AS type, [key IN keys(r) WHERE r[key] IS :: STRING NOT NULL | [key, left(r[key], $longest)]] AS texts,
  [key IN keys(r) WHERE r[key] IS :: INTEGER NOT NULL | key] AS numbers
