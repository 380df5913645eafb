// name: similar_terms(text, limit)
// access: read
// columns: value
// scope: graph
// The $limit names and values whose words best match $text, in Lucene's syntax, best first.
CALL db.index.fulltext.queryNodes('gear_term_words', $text, {limit: $limit}) YIELD node, score
WITH node.text AS value, max(score) AS best
ORDER BY best DESC, value
RETURN value
