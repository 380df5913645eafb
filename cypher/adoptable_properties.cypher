// name: adoptable_properties(labels, names, facts)
// access: read
// columns: id, labels, names, facts
// Streams the nodes with any of the labels that have a property in $facts: id (element id), labels, names ([property,
// value] pairs of $names), and facts ([property, values] pairs of $facts; of a list, its first ten values).
MATCH (n:$any($labels))
WHERE any(key IN $facts WHERE n[key] IS NOT NULL)
RETURN elementId(n) AS id, labels(n) AS labels,
  [key IN $names WHERE n[key] IS NOT NULL | [key, CASE
    WHEN n[key] IS :: STRING NOT NULL THEN left(n[key], 500)
    WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..1] | left(toStringOrNull(part), 500)]
    ELSE toStringOrNull(n[key])
  END]] AS names,
  [key IN $facts WHERE n[key] IS NOT NULL | [key, CASE
    WHEN n[key] IS :: STRING NOT NULL THEN [left(n[key], 200)]
    WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..10] | left(toStringOrNull(part), 200)]
    ELSE [toStringOrNull(n[key])]
  END]] AS facts
