// name: similar_entities(words, text, limit)
// access: read
// columns: known, similar
// Entities for words that may be misspelt, in one row. known lists those of $words that are in a passage; similar the
// $limit entities whose keys match $text, which is in Lucene's query syntax, best first, as [key, element id, name as it
// is written, whether it has an embedding]. Each of $words is a term of that syntax.
CALL () {
  UNWIND $words AS word
  CALL db.index.fulltext.queryNodes('gear_passage_text', word, {limit: 1}) YIELD node
  RETURN collect(word) AS known
}
CALL (known) {
  CALL db.index.fulltext.queryNodes('gear_entity_words', $text, {limit: $limit}) YIELD node AS e, score
  WITH e, score
  ORDER BY score DESC, e.key
  RETURN collect([e.key, elementId(e), e.name, e.embedding IS NOT NULL]) AS similar
}
RETURN known, similar
