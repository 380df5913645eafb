// name: relationship_values(properties, longest, most)
// access: read
// columns: owner, property, value
// scope: graph
// Streams the different texts, at most $most, of the properties in $properties (type: list of properties) of the
// relationships of these types (owner); each text of a list counts, those longer than $longest do not.
MATCH ()-[r:$any(keys($properties))]->()
WITH type(r) AS owner, r
UNWIND $properties[owner] AS property
WITH owner, property, r[property] AS held
// include: different_texts()
