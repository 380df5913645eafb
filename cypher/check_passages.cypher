// name: check_passages(rows)
// access: read
// columns: id, same, moved
// The passages of a batch that are already stored: id, same (whether title and text are unchanged), and moved (whether
// the position in the document has changed).
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
RETURN p.id AS id, p.title = row.title AND p.text = row.text AS same,
  coalesce(row.position <> coalesce(p.position, ''), false) AS moved
