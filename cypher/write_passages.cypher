// name: write_passages(rows)
// access: write
// Passages with their embeddings, stored as float32. Says how many were written.
CALL () {
  // To look it up shares a lock on its entry in the index with others that write, and not with those that delete.
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  RETURN count(gate) AS gates
}
UNWIND $rows AS row
MERGE (p:Passage {id: row.id})
ON CREATE SET p.title = row.title, p.text = row.text, p.source = row.source, p.position = row.position
WITH p, row
WHERE p.embedding IS NULL
CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
WITH count(*) AS written
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale. Last, for another that writes meanwhile waits from here on.
  SET s.changed = randomUUID()
}
RETURN written
