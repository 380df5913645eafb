// name: passages_by_id(ids)
// access: read
// The passages of the given ids, in any order: id, title, text, source, position.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position
