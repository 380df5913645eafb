// name: adopted_triples(names, properties, labels, types, sources, keys, mentions, chunks, texts)
// access: read
// columns: triple, stated, id, type, properties, chunk, start, startLabels, startNames, end, endLabels, endNames
// Streams the triples that represent relationships: triple (its id), stated (whether it still has a passage), and the
// current relationship in the columns of adoptable_relationships. id is null if the relationship was deleted or its
// type or labels are no longer among the given ones.
MATCH (t:Triple)
WHERE t.relationship IS NOT NULL
OPTIONAL MATCH (t)-[:SUBJECT]->(a:$any($labels))-[r:$any($types)]->(b:$any($labels))<-[:OBJECT]-(t)
WHERE elementId(r) = t.relationship
// include: chunk_of()
RETURN t.id AS triple, EXISTS { (t)-[:FROM]->(:Passage) } AS stated, elementId(r) AS id, type(r) AS type,
  // include: relationship_columns()
