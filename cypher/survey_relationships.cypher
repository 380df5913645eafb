// name: survey_relationships(types, limit, longest)
// access: read
// columns: type, numbers, properties
// A sample of the relationships of the given types: type, numbers (the names of the integer properties), and properties
// as [property, kind of value, length, beginning of the text].
MATCH ()-[r:$any($types)]->()
WITH r
LIMIT $limit
RETURN type(r) AS type, [key IN keys(r) WHERE r[key] IS :: INTEGER NOT NULL | key] AS numbers,
  // include: property_samples(r)
  AS properties
