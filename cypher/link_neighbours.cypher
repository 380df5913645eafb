// name: link_neighbours(rows)
// access: write
// columns: none
// Links each passage of a document with the next one: rows have the ids of both, and null for the next of the last.
// Relationships that lead elsewhere are deleted.
// include: shared_lock()
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
CALL (p, row) {
  MATCH (p)-[former:NEXT_PASSAGE]->(other:Passage)
  WHERE other.id <> coalesce(row.next, '')
  DELETE former
}
CALL (p, row) {
  MATCH (next:Passage {id: row.next})
  USING INDEX SEEK next:Passage(id)
  MERGE (p)-[:NEXT_PASSAGE]->(next)
}
