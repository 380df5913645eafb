// name: move_passages(rows)
// access: write
// The new positions of passages whose text stayed the same.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
SET p.position = row.position
