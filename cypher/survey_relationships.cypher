// name: survey_relationships(types, limit, longest)
// access: read
// Some relationships of the types: the type, and the texts and whole numbers among the properties, cut short.
MATCH ()-[r:$any($types)]->()
WITH r
LIMIT $limit
RETURN type(r) AS type, [key IN keys(r) WHERE r[key] IS :: STRING NOT NULL | [key, left(r[key], $longest)]] AS texts,
  [key IN keys(r) WHERE r[key] IS :: INTEGER NOT NULL | key] AS numbers
