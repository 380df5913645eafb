// name: check_passages(rows)
// access: read
// Which of the passages are in the database already: id, and whether title and text are the same.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
RETURN p.id AS id, p.title = row.title AND p.text = row.text AS same
