// name: relationship_values(properties, longest, most)
// access: read
// columns: owner, property, value
// scope: graph
// Streams at most $most distinct texts of the properties in $properties (type: list of properties) of the relationships
// of these types (owner), including each text of a list, but not texts longer than $longest.
MATCH ()-[r:$any(keys($properties))]->()
WITH type(r) AS owner, r
UNWIND $properties[owner] AS property
WITH owner, property, r[property] AS held
// include: different_texts()
