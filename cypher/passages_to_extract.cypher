// name: passages_to_extract(after, limit, failed)
// access: read
// columns: id, title, text, source, position
// The next $limit passages after an id that still need extraction, in order of id. A passage with a recorded failure is
// included only with $failed.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id > $after AND p.extractedAt IS NULL AND ($failed OR p.extractionError IS NULL)
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position
ORDER BY p.id
LIMIT $limit
