// name: adopted_properties(labels, names, facts)
// access: read
// columns: triple, stated, id, labels, names, facts
// Streams the triples that represent properties: triple (its id), stated (whether it still has a passage), and the
// node in the columns of adoptable_properties. id is null if the node was deleted or has none of the labels any more.
MATCH (t:Triple)
WHERE t.property IS NOT NULL
OPTIONAL MATCH (t)-[:SUBJECT]->(n:$any($labels))
RETURN t.id AS triple, EXISTS { (t)-[:FROM]->(:Passage) } AS stated, elementId(n) AS id, labels(n) AS labels,
  // include: property_texts(n, $names, 1, 500)
  AS names,
  // include: property_facts(n)
  AS facts
