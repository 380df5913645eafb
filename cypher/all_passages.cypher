// name: all_passages()
// access: read
// Every passage, for an index that is kept in memory: id, title, text, source, position; in order of id.
MATCH (p:Passage)
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position
ORDER BY id
