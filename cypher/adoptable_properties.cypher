// name: adoptable_properties(labels, names, facts)
// access: read
// columns: id, labels, names, facts
// Streams the nodes with any of the labels that have a property in $facts: id (element id), labels, names ([property,
// value] pairs of $names), and facts ([property, values] pairs of $facts; of a list, its first ten values).
MATCH (n:$any($labels))
WHERE any(key IN $facts WHERE n[key] IS NOT NULL)
RETURN elementId(n) AS id, labels(n) AS labels,
  // include: property_texts(n, $names, 1, 500)
  AS names,
  // include: property_facts(n)
  AS facts
