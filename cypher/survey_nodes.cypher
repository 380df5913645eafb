// name: survey_nodes(labels, limit, longest)
// access: read
// columns: labels, properties
// A sample of the nodes with any of the labels, or of all nodes if $labels is empty: labels, and properties as
// [property, kind of value, length, beginning of the text].
MATCH (n)
WHERE NOT n:__GearCommunity AND (size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels))
WITH n
LIMIT $limit
RETURN labels(n) AS labels,
  // include: property_samples(n)
  AS properties
