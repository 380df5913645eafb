// name: property_values(properties, longest, most)
// access: read
// columns: owner, property, value
// scope: graph
// Streams at most $most distinct texts of the properties in $properties (label: list of properties) of the nodes with
// these labels (owner), including each text of a list, but not texts longer than $longest.
MATCH (n)
UNWIND [label IN labels(n) WHERE label IN keys($properties)] AS owner
UNWIND $properties[owner] AS property
WITH owner, property, n[property] AS held
// include: different_texts()
