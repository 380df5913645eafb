// name: entity_names(names)
// access: read
// Every node that a triple or a passage of ours speaks of, streamed: its element id, its labels, what it is called (the
// name of an entity of ours; of a node of the user's the values of the given properties), and in how many triples it
// stands.
CALL () {
  MATCH (:Triple)-[:SUBJECT|OBJECT]->(e)
  RETURN e
  UNION
  MATCH (:Passage)-[:DESCRIBES]->(e)
  RETURN e
}
RETURN elementId(e) AS id, labels(e) AS labels, CASE
    WHEN size($names) = 0 THEN [e.name]
    ELSE [key IN $names WHERE e[key] IS NOT NULL | CASE
      WHEN e[key] IS :: STRING NOT NULL THEN left(e[key], 500)
      WHEN e[key] IS :: LIST<ANY> NOT NULL THEN [part IN e[key][..10] | left(toStringOrNull(part), 500)]
      ELSE toStringOrNull(e[key])
    END]
  END AS names, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree
