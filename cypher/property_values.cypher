// name: property_values(label, property, longest, most)
// access: read
// columns: value
// Streams the different texts, at most $most, that a property of a label's nodes holds, those longer than $longest left
// out; each text of a list counts.
MATCH (n:$($label))
WITH n[$property] AS held
WHERE held IS NOT NULL
UNWIND CASE WHEN held IS :: LIST<ANY> NOT NULL THEN held ELSE [held] END AS value
WITH value
WHERE value IS :: STRING NOT NULL AND size(value) <= $longest
RETURN DISTINCT value
LIMIT $most
