// name: edge_triples(edges, query)
// access: read
// columns: edge, id, subject, predicate, object, passage, score
// scope: filtered
// timeout: 10
// For each edge of a walk, the two triples behind it that are nearest to the query, in order; a row for each. An edge is
// [from passage, from, to passage, to]: whether each of its ends is a passage, and the passage's id or the entity's
// element id. All triples of the end that it comes from are examined. edge is the index of an edge, score the cosine, at
// least 0.
UNWIND range(0, size($edges) - 1) AS edge
WITH edge, $edges[edge] AS ends
CALL (ends) {
  WITH ends
  WHERE ends[0]
  MATCH (p:Passage {id: ends[1]})
  /*+ WHERE IN_SCOPE_PASSAGE(p) */
  MATCH (p)<-[:FROM]-(t:Triple)
  WHERE EXISTS { MATCH (t)-[:SUBJECT|OBJECT]->(e) WHERE elementId(e) = ends[3] } /*+ AND STATED_IN_SCOPE(t) */
  RETURN t
  UNION ALL
  WITH ends
  WHERE NOT ends[0]
  MATCH (e)
  WHERE elementId(e) = ends[1]
  MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)
  WHERE CASE WHEN ends[2]
    THEN EXISTS { MATCH (t)-[:FROM]->(p) WHERE p.id = ends[3] }
    ELSE EXISTS { MATCH (t)-[:SUBJECT|OBJECT]->(o) WHERE elementId(o) = ends[3] }
  END /*+ AND IN_SCOPE_TRIPLE(t) */
  RETURN t
}
WITH edge, t, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
ORDER BY cosine DESC, t.id
WITH edge, collect([t, cosine])[..2] AS nearest
UNWIND range(0, size(nearest) - 1) AS rank
WITH edge, rank, nearest[rank][0] AS t, nearest[rank][1] AS cosine
MATCH (t)-[:FROM]->(p)
RETURN edge, t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage,
  CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS score
ORDER BY edge, rank
