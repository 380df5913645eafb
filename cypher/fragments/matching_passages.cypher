// fragment: matching_passages(p, text, most)
// The passages with the best Lucene scores for a text, as p and score, best first; ties are broken by id.
CALL db.index.fulltext.queryNodes('gear_passage_text', text, {limit: most /*+ * toInteger(ceil($scope.factor)) */})
  YIELD node AS p, score
/*+ WITH * WHERE IN_SCOPE_PASSAGE(p) */
WITH p, score
ORDER BY score DESC, p.id
/*+ LIMIT most */
