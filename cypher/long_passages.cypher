// name: long_passages(characters)
// access: read
// columns: passages
// The number of passages with more than $characters characters in title and text.
MATCH (p:Passage)
USING INDEX p:Passage(id)
WHERE p.id IS NOT NULL AND size(coalesce(p.title, '')) + size(p.text) > $characters
RETURN count(p) AS passages
