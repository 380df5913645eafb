// name: community_facts(collection, names)
// access: read
// columns: id, passage, readers, ends
// Streams every triple of a collection between two distinct nodes: id, passage (its id), readers (null for everybody),
// and ends, its head and its tail, each as [element id, names]. names has the name of an entity, or the values of the
// properties in $names of a node of the adopted graph.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(collection)
WHERE p.collection = $collection
MATCH (p)<-[:FROM]-(t:Triple)
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
WHERE s <> o
RETURN t.id AS id, p.id AS passage, t.readers AS readers, [node IN [s, o] | [elementId(node),
    // include: names_of(node)
  ]] AS ends
