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
WHERE held IS NOT NULL
UNWIND CASE WHEN held IS :: LIST<ANY> NOT NULL THEN held ELSE [held] END AS value
WITH owner, property, value
WHERE CASE WHEN value IS :: STRING NOT NULL THEN size(value) <= $longest ELSE false END
RETURN DISTINCT owner, property, value
LIMIT $most
