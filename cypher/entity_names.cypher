// name: entity_names(names)
// access: read
// columns: id, labels, names, degree
// scope: filtered
// Streams every node that a triple is linked to or a passage stands for: id (element id), labels, names, and degree
// (the number of its triples). names holds the node's values of the properties in $names, or the name of an entity
// where $names is empty.
CALL () {
  MATCH (t:Triple)-[:SUBJECT|OBJECT]->(e)
  /*+ WHERE IN_SCOPE_TRIPLE(t) */
  RETURN e
  UNION
  MATCH (p:Passage)-[:DESCRIBES]->(e)
  /*+ WHERE IN_SCOPE_PASSAGE(p) */
  RETURN e
}
RETURN elementId(e) AS id, labels(e) AS labels, CASE
    WHEN size($names) = 0 THEN [coalesce(/*+ SPELLING(e), */ e.name)]
    ELSE [key IN $names WHERE e[key] IS NOT NULL | CASE
      WHEN e[key] IS :: STRING NOT NULL THEN left(e[key], 500)
      WHEN e[key] IS :: LIST<ANY> NOT NULL THEN [part IN e[key][..10] | left(toStringOrNull(part), 500)]
      ELSE toStringOrNull(e[key])
    END]
  END AS names, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree
