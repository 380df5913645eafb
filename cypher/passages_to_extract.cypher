// name: passages_to_extract(after, limit, failed)
// access: read
// The next passages, by id, that have neither triples nor a recorded failure; with $failed also those that failed.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id > $after AND p.extractedAt IS NULL AND ($failed OR p.extractionError IS NULL)
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position
ORDER BY p.id
LIMIT $limit
