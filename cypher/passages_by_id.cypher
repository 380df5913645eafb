// name: passages_by_id(ids)
// access: read
// columns: id, title, text, source, position
// The passages with the given ids, in any order.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position
