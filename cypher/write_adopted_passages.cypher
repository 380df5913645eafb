// name: write_adopted_passages(rows)
// access: write
// Passages of our own beside nodes that are the user's, each pointing at its node, with embeddings (float32). A node
// that stands for facts alone has nothing to extract. Says how many are new or read differently: of two that write the
// same one at the same time, only the first counts it.
CALL () {
  // To look it up shares a lock on its entry in the index with others that write, and not with those that delete.
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  RETURN count(gate) AS gates
}
UNWIND $rows AS row
MATCH (n)
WHERE elementId(n) = row.node
MERGE (p:Passage {id: row.id})
WITH row, n, p, p.text IS NULL OR p.text <> row.text OR p.title <> row.title AS fresh
SET p.title = row.title, p.text = row.text, p.node = row.node,
  p.extractedAt = CASE WHEN row.card THEN datetime() END
MERGE (p)-[:DESCRIBES]->(n)
WITH p, row, fresh
CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
WITH sum(CASE WHEN fresh THEN 1 ELSE 0 END) AS written
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale. Last, for another that writes meanwhile waits from here on.
  SET s.changed = randomUUID()
}
RETURN written
