// name: all_passages()
// access: read
// columns: id, title, text, source, position, collection, metadata
// scope: filtered
// All passages in order of id, for an in-memory index.
MATCH (p:Passage)
/*+ WHERE IN_SCOPE_PASSAGE(p) */
RETURN p.id AS id, p.title AS title, p.text AS text, p.source AS source, p.position AS position,
  p.collection AS collection, [key IN keys(p) WHERE key STARTS WITH 'meta_' | [key, p[key]]] AS metadata
ORDER BY id
