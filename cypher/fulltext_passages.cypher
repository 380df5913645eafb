// name: fulltext_passages(text, k)
// access: read
// The k passages that Lucene scores best for a text in its query syntax (escape it first): id and score.
CALL db.index.fulltext.queryNodes('gear_passage_text', $text, {limit: $k}) YIELD node, score
RETURN node.id AS id, score
ORDER BY score DESC, id
