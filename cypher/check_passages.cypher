// name: check_passages(rows)
// access: read
// Which of the passages are in the database already: id, whether title and text are the same, and whether the passage
// has moved to another position of its document.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
RETURN p.id AS id, p.title = row.title AND p.text = row.text AS same,
  coalesce(row.position <> coalesce(p.position, ''), false) AS moved
