// name: entity_names(names)
// access: read
// columns: id, labels, names, degree
// scope: filtered
// Streams every node that a triple is linked to or a passage represents: id (element id), labels, names, and degree
// (the number of its triples). names has the name of an entity, or the values of the properties in $names of a node of
// the adopted graph.
CALL () {
  MATCH (t:Triple)-[:SUBJECT|OBJECT]->(e)
  /*+ WHERE IN_SCOPE_TRIPLE(t) */
  RETURN e
  UNION
  MATCH (p:Passage)-[:DESCRIBES]->(e)
  /*+ WHERE IN_SCOPE_PASSAGE(p) */
  RETURN e
}
RETURN elementId(e) AS id, labels(e) AS labels,
  // include: names_of(e)
  AS names,
  // include: degree(e)
  AS degree
