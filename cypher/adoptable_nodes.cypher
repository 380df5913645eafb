// name: adoptable_nodes(labels, names, texts, longest, few)
// access: read
// columns: id, labels, names, texts, others
// Streams the nodes with any of the labels: id (element id), labels, and three lists of [property, value] pairs: names
// (the properties in $names), texts (those in $texts) and others ($few other properties with a single value). Long
// texts are truncated; a list is cut to ten items.
MATCH (n:$any($labels))
WHERE NOT n:__GearCommunity
RETURN elementId(n) AS id, labels(n) AS labels,
  [key IN $names WHERE n[key] IS NOT NULL | [key, CASE
    WHEN n[key] IS :: STRING NOT NULL THEN left(n[key], 500)
    WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..10] | left(toStringOrNull(part), 500)]
    ELSE toStringOrNull(n[key])
  END]] AS names,
  [key IN $texts WHERE n[key] IS NOT NULL | [key, CASE
    WHEN n[key] IS :: STRING NOT NULL THEN left(n[key], $longest)
    WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..10] | left(toStringOrNull(part), $longest)]
    ELSE toStringOrNull(n[key])
  END]] AS texts,
  [key IN keys(n) WHERE NOT key IN $names AND NOT key IN $texts AND toStringOrNull(n[key]) IS NOT NULL
    | [key, left(toStringOrNull(n[key]), 200)]][..$few] AS others
