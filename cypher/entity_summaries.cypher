// name: entity_summaries(ids, names)
// access: read
// columns: id, labels, names, degree
// scope: filtered
// timeout: 10
// The nodes with the given element ids that triples mention, in the columns of entity_names.
UNWIND $ids AS id
MATCH (e)
WHERE elementId(e) = id AND EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Triple) } /*+ AND IN_SCOPE_ENTITY(e) */
RETURN id, labels(e) AS labels, CASE
    WHEN size($names) = 0 THEN [coalesce(/*+ SPELLING(e), */ e.name)]
    ELSE [key IN $names WHERE e[key] IS NOT NULL | CASE
      WHEN e[key] IS :: STRING NOT NULL THEN left(e[key], 500)
      WHEN e[key] IS :: LIST<ANY> NOT NULL THEN [part IN e[key][..10] | left(toStringOrNull(part), 500)]
      ELSE toStringOrNull(e[key])
    END]
  END AS names, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree
