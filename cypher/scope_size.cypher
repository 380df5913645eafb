// name: scope_size(kept)
// access: read
// columns: passages, triples, adopted, described, ids, allPassages, allTriples, graph
// scope: filtered
// The size of a scope: the numbers of passages and of their triples; adopted and described, the numbers of passages
// that represent nodes of an adopted graph, and of their triples; the ids of the passages, if they are at most $kept;
// the sizes of the database, from the server's own counters; and whether every node of the adopted graph is in the
// scope, whatever is added to the graph meanwhile.
MATCH (p:Passage)
/*+ WHERE IN_SCOPE_PASSAGE(p) */
// In an adopted graph, a triple may have fewer readers than its passage.
WITH p.id AS id, p.node IS NOT NULL AS isNode, CASE WHEN p.node IS NULL THEN COUNT { (p)<-[:FROM]-() }
    ELSE COUNT { (p)<-[:FROM]-(t) /*+ WHERE STATED_IN_SCOPE(t) */ } END AS stated
WITH count(id) AS passages, sum(stated) AS triples, count(CASE WHEN isNode THEN 1 END) AS adopted,
  sum(CASE WHEN isNode THEN stated ELSE 0 END) AS described, collect(id)[..$kept + 1] AS ids
RETURN passages, triples, adopted, described, CASE WHEN passages <= $kept THEN ids END AS ids,
  COUNT { MATCH (:Passage) } AS allPassages, COUNT { MATCH (:Triple) } AS allTriples,
  EXISTS {
    MATCH (g:__GearStore {id: 'graph'})
    /*+ WHERE IN_SCOPE_TRIPLE(g) */
  } AS graph
