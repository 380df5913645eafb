// name: common_words(words, limit)
// access: read
// columns: word
// scope: filtered
// The $words (letters and spaces in lower case) that more than half of their $limit best matching passages also write
// in lower case.
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('gear_passage_text', '"' + word + '"',
    {limit: $limit /*+ * toInteger(ceil($scope.factor)) */}) YIELD node, score
  /*+ WITH * WHERE IN_SCOPE_PASSAGE(node) */
  WITH node, score
  ORDER BY score DESC, node.id
  /*+ LIMIT $limit */
  RETURN count(*) AS passages, count(CASE WHEN ' ' + node.text CONTAINS ' ' + word THEN 1 END) AS lower
}
WITH word, passages, lower
WHERE 2 * lower > passages
RETURN word
