// name: write_passages(rows)
// access: write
// Passages with their embeddings, stored as float32.
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale.
  SET s.changed = randomUUID()
}
UNWIND $rows AS row
MERGE (p:Passage {id: row.id})
ON CREATE SET p.title = row.title, p.text = row.text, p.source = row.source, p.position = row.position
WITH p, row
CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
