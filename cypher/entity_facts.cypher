// name: entity_facts(id, limit, most)
// access: read
// columns: id, subject, predicate, object, passage, title, head, tail
// scope: filtered
// timeout: 10
// At most $limit of the triples at a node (its element id), by the passages that state them. passage and title are
// those of the passage, head and tail the element ids of the ends. At most $most of the node's triples are read, to
// limit the work.
MATCH (e)
WHERE elementId(e) = $id
CALL (e) {
  MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)
  /*+ WITH t LIMIT $scope.most WITH t WHERE IN_SCOPE_TRIPLE(t) */
  WITH t
  LIMIT $most
  RETURN DISTINCT t
}
MATCH (t)-[:FROM]->(p)
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage,
  p.title AS title, elementId(s) AS head, elementId(o) AS tail
ORDER BY title, passage, subject, predicate, object, id
LIMIT $limit
