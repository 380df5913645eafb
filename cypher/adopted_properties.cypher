// name: adopted_properties(labels, names, facts)
// access: read
// columns: triple, stated, id, labels, names, facts
// Streams the triples that represent properties: triple (its id), stated (whether it still has a passage), and the
// node in the columns of adoptable_properties. id is null if the node was deleted or has none of the labels any more.
MATCH (t:Triple)
WHERE t.property IS NOT NULL
OPTIONAL MATCH (t)-[:SUBJECT]->(n:$any($labels))
RETURN t.id AS triple, EXISTS { (t)-[:FROM]->(:Passage) } AS stated, elementId(n) AS id, labels(n) AS labels,
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
