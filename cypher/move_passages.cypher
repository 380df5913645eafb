// name: move_passages(rows)
// access: write
// columns: none
// Updates the positions of passages whose text is unchanged.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
SET p.position = row.position
