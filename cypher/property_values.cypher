// name: property_values(properties, longest, most)
// access: read
// columns: owner, property, value
// scope: graph
// Streams the different texts, at most $most, of the properties in $properties (label: list of properties) of the nodes
// with these labels (owner); each text of a list counts, those longer than $longest do not.
MATCH (n)
UNWIND [label IN labels(n) WHERE label IN keys($properties)] AS owner
UNWIND $properties[owner] AS property
WITH owner, property, n[property] AS held
// include: different_texts()
