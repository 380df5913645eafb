// name: passages_by_id(ids)
// access: read
// columns: id, title, text, source, position, collection, metadata
// scope: filtered
// The passages with the given ids, in any order.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids /*+ AND IN_SCOPE_PASSAGE(p) */
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position,
  p.collection AS collection, [key IN keys(p) WHERE key STARTS WITH 'meta_' | [key, p[key]]] AS metadata
