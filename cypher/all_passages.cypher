// name: all_passages()
// access: read
// Every passage, for an index that is kept in memory: id, title, text; in order of id.
MATCH (p:Passage)
RETURN p.id AS id, p.title AS title, p.text AS text
ORDER BY id
