// name: paths_between(pairs, hops, most, query)
// access: read
// columns: pair, triples, score
// scope: filtered
// timeout: 10
// For each pair of nodes (element ids), at most $most of the shortest paths between them, of at most $hops triples (1
// to 4; each triple takes two relationships). A row for each path: pair (the index of the pair), triples (a list of
// [id, subject, predicate, object, passage, rank, cosine with the query] in order), and score (the cosine of the query
// and the sum of the triples' embeddings).
UNWIND range(0, size($pairs) - 1) AS pair
MATCH (a)
WHERE elementId(a) = $pairs[pair][0]
MATCH (b)
WHERE elementId(b) = $pairs[pair][1]
CALL (a, b) {
  CALL (a, b) {
    WITH a, b
    WHERE $hops = 1
    MATCH p = allShortestPaths((a)-[:SUBJECT|OBJECT*..2]-(b))
    WHERE all(step IN relationships(p) WHERE startNode(step):Triple)
      /*+ AND all(step IN nodes(p) WHERE NOT step:Triple OR IN_SCOPE_TRIPLE(step)) */
    RETURN p
    UNION ALL
    WITH a, b
    WHERE $hops = 2
    MATCH p = allShortestPaths((a)-[:SUBJECT|OBJECT*..4]-(b))
    WHERE all(step IN relationships(p) WHERE startNode(step):Triple)
      /*+ AND all(step IN nodes(p) WHERE NOT step:Triple OR IN_SCOPE_TRIPLE(step)) */
    RETURN p
    UNION ALL
    WITH a, b
    WHERE $hops = 3
    MATCH p = allShortestPaths((a)-[:SUBJECT|OBJECT*..6]-(b))
    WHERE all(step IN relationships(p) WHERE startNode(step):Triple)
      /*+ AND all(step IN nodes(p) WHERE NOT step:Triple OR IN_SCOPE_TRIPLE(step)) */
    RETURN p
    UNION ALL
    WITH a, b
    WHERE $hops = 4
    MATCH p = allShortestPaths((a)-[:SUBJECT|OBJECT*..8]-(b))
    WHERE all(step IN relationships(p) WHERE startNode(step):Triple)
      /*+ AND all(step IN nodes(p) WHERE NOT step:Triple OR IN_SCOPE_TRIPLE(step)) */
    RETURN p
  }
  RETURN [hop IN range(1, length(p) - 1, 2) | nodes(p)[hop]] AS triples
  LIMIT $most
}
CALL (triples) {
  UNWIND range(0, size(triples) - 1) AS number
  WITH number, triples[number] AS t
  MATCH (t)-[:FROM]->(p)
  WITH t, p, 2 * vector.similarity.cosine(t.embedding, $query) - 1 AS cosine
  ORDER BY number
  RETURN collect([t.id, t.subject, t.predicate, t.object, p.id, t.rank, cosine]) AS told, sum(cosine) AS similarity
}
WITH pair, told, similarity, reduce(sum = 0.0, a IN triples | sum
  + reduce(row = 0.0, b IN triples | row + 2 * vector.similarity.cosine(a.embedding, b.embedding) - 1)) AS squared
RETURN pair, told AS triples, CASE WHEN squared > 0 THEN similarity / sqrt(squared) ELSE 0.0 END AS score
