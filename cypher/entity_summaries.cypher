// name: entity_summaries(ids, names)
// access: read
// columns: id, labels, names, degree
// scope: filtered
// timeout: 10
// The nodes with the given element ids that triples mention, in the columns of entity_names.
UNWIND $ids AS id
MATCH (e)
WHERE elementId(e) = id AND EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Triple) } /*+ AND IN_SCOPE_ENTITY(e) */
RETURN id, labels(e) AS labels,
  // include: names_of(e)
  AS names,
  // include: degree(e)
  AS degree
