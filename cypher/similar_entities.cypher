// name: similar_entities(words, text, limit)
// access: read
// columns: known, similar
// scope: filtered
// Entities for words that may be misspelt, in one row. known lists the $words that are in a passage; similar lists the
// $limit entities whose keys best match $text, which is in Lucene's query syntax, as [key, element id, name, whether it
// has an embedding]. Each of $words is a term of that syntax.
CALL () {
  UNWIND $words AS word
  CALL (word) {
    CALL db.index.fulltext.queryNodes('gear_passage_text', word,
      {limit: 1 /*+ * 100 * toInteger(ceil($scope.factor)) */}) YIELD node
    /*+ WITH node WHERE IN_SCOPE_PASSAGE(node) */
    RETURN node
    LIMIT 1
  }
  RETURN collect(word) AS known
}
CALL (known) {
  CALL db.index.fulltext.queryNodes('gear_entity_words', $text, {limit: $limit /*+ * toInteger(ceil($scope.factor)) */})
    YIELD node AS e, score
  /*+ WITH * WHERE IN_SCOPE_ENTITY(e) */
  WITH e, score
  ORDER BY score DESC, e.key
  /*+ LIMIT $limit */
  RETURN collect([e.key, elementId(e), coalesce(/*+ SPELLING(e), */ e.name), e.embedding IS NOT NULL]) AS similar
}
RETURN known, similar
