// name: check_passages(rows)
// access: read
// columns: id, same, moved
// The passages of a batch that are already stored: id, same (whether title and text are unchanged), and moved (whether
// the position in the document, the source or the metadata has changed, or the readers, if the batch says who they are).
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
RETURN p.id AS id, p.title = row.title AND p.text = row.text AS same,
  coalesce(row.position <> coalesce(p.position, ''), false) OR coalesce(row.source <> coalesce(p.source, ''), false)
    OR any(key IN keys(row.metadata) WHERE coalesce(p[key] <> row.metadata[key], true))
    OR any(key IN keys(p) WHERE key STARTS WITH 'meta_' AND row.metadata[key] IS NULL)
    OR coalesce(row.readers <> coalesce(p.readers, []), false) AS moved
