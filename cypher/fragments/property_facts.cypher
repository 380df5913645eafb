// fragment: property_facts(n)
// The properties in $facts that a node has, each as [property, values], with the first ten values of a list.
[key IN $facts WHERE n[key] IS NOT NULL | [key, CASE
  WHEN n[key] IS :: STRING NOT NULL THEN [left(n[key], 200)]
  WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..10] | left(toStringOrNull(part), 200)]
  ELSE [toStringOrNull(n[key])]
END]]
