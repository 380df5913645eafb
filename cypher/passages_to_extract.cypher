// name: passages_to_extract(extractor, beside, collection, after, limit, failed)
// access: read
// columns: id, title, text, source, position, collection, metadata
// The next $limit passages after an id that an extractor has yet to read, in order of id; see count_to_extract.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id > $after
// include: to_extract(p)
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position,
  p.collection AS collection, [key IN keys(p) WHERE key STARTS WITH 'meta_' | [key, p[key]]] AS metadata
ORDER BY p.id
LIMIT $limit
