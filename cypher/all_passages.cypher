// name: all_passages()
// access: read
// columns: id, title, text, source, position
// All passages in order of id, for an in-memory index.
MATCH (p:Passage)
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position
ORDER BY id
