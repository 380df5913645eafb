// fragment: relationship_columns()
// The columns of adoptable_relationships for a relationship r between a and b, from properties on.
[key IN $properties WHERE r[key] IS NOT NULL | [key, CASE
  WHEN r[key] IS :: LIST<ANY> NOT NULL
    THEN substring(reduce(text = '', part IN r[key][..10] | text + ', ' + coalesce(toStringOrNull(part), '')), 2, 500)
  ELSE coalesce(left(toStringOrNull(r[key]), 500), '')
END]] AS properties,
chunk[0] AS chunk, elementId(a) AS start, labels(a) AS startLabels,
// include: property_texts(a, $names, 1, 500)
AS startNames,
elementId(b) AS end, labels(b) AS endLabels,
// include: property_texts(b, $names, 1, 500)
AS endNames
