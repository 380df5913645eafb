// name: relationship_values(type, property, longest, most)
// access: read
// columns: value
// Streams the different texts, at most $most, that a property of a type's relationships holds, those longer than
// $longest left out; each text of a list counts.
MATCH ()-[r:$($type)]->()
WITH r[$property] AS held
WHERE held IS NOT NULL
UNWIND CASE WHEN held IS :: LIST<ANY> NOT NULL THEN held ELSE [held] END AS value
WITH value
WHERE value IS :: STRING NOT NULL AND size(value) <= $longest
RETURN DISTINCT value
LIMIT $most
