// name: facts_around(nodes, query, limit, most)
// access: read
// columns: id, subject, predicate, object, passage, score, head, tail, cut
// scope: filtered
// timeout: 10
// The triples at each of the given nodes (element ids), best first: for each node, the $limit nearest to the query
// among the first $most that the server reads, to limit the work. score is the cosine with the query; passage is an
// id, head and tail are the element ids of the ends; cut is whether a node had more than $most triples.
UNWIND $nodes AS id
MATCH (e)
WHERE elementId(e) = id
CALL (e) {
  MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)
  /*+ WITH t LIMIT $scope.most WITH t WHERE IN_SCOPE_TRIPLE(t) */
  WITH t
  LIMIT $most
  WITH DISTINCT t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS score
  ORDER BY score DESC, t.id
  LIMIT $limit
  RETURN collect([t, score]) AS found
}
WITH
  // include: degree(e)
  > $most AS cut, found
UNWIND found AS one
WITH one[0] AS t, one[1] AS score, max(cut) AS cut
MATCH (t)-[:FROM]->(p)
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage, score,
  elementId(s) AS head, elementId(o) AS tail, cut
ORDER BY score DESC, id
