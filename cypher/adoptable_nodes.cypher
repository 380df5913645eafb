// name: adoptable_nodes(labels, names, texts, longest, few)
// access: read
// columns: id, labels, names, texts, others
// Streams the nodes with any of the labels: id (element id), labels, and three lists of [property, value] pairs: names
// (the properties in $names), texts (those in $texts) and others ($few other properties with a single value). Long
// texts are truncated; a list is cut to ten items.
MATCH (n:$any($labels))
WHERE NOT n:__GearCommunity
RETURN elementId(n) AS id, labels(n) AS labels,
  // include: property_texts(n, $names, 10, 500)
  AS names,
  // include: property_texts(n, $texts, 10, $longest)
  AS texts,
  [key IN keys(n) WHERE NOT key IN $names AND NOT key IN $texts AND toStringOrNull(n[key]) IS NOT NULL
    | [key, left(toStringOrNull(n[key]), 200)]][..$few] AS others
