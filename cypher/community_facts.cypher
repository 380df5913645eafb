// name: community_facts(collection, names)
// access: read
// columns: id, passage, readers, ends
// Streams every triple of a collection between two distinct nodes: id, passage (its id), readers (null for everybody),
// and ends, its head and its tail, each as [element id, names]. names holds the node's values of the properties in
// $names, or the name of an entity where $names is empty.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(collection)
WHERE p.collection = $collection
MATCH (p)<-[:FROM]-(t:Triple)
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
WHERE s <> o
RETURN t.id AS id, p.id AS passage, t.readers AS readers, [node IN [s, o] | [elementId(node), CASE
    WHEN size($names) = 0 THEN [node.name]
    ELSE [key IN $names WHERE node[key] IS NOT NULL | CASE
      WHEN node[key] IS :: STRING NOT NULL THEN left(node[key], 500)
      WHEN node[key] IS :: LIST<ANY> NOT NULL THEN [part IN node[key][..10] | left(toStringOrNull(part), 500)]
      ELSE toStringOrNull(node[key])
    END]
  END]] AS ends
