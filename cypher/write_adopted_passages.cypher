// name: write_adopted_passages(rows, collection, readers)
// access: write
// columns: written
// Writes a passage with an embedding (float32) for each of the user's nodes and links it to the node. A card, a passage
// made from the properties of a node, is marked as read. New and changed passages have $readers until stamp_adopted
// sets who may read them. written is the number of new or changed passages; if two transactions write the same passage
// at once, only the first counts it. If a reader or a collection loses a passage, reports of communities are hidden
// until the next build.
// include: shared_lock()
UNWIND $rows AS row
MATCH (n)
WHERE elementId(n) = row.node
MERGE (p:Passage {id: row.id})
WITH row, n, p, p.text IS NULL OR p.text <> row.text OR p.title <> row.title AS fresh
CALL (p, fresh) {
  WITH p, p.collection <> $collection AS moved,
    fresh AND p.text IS NOT NULL AND $readers IS NOT NULL
      AND (p.readers IS NULL OR any(name IN p.readers WHERE name <> '' AND NOT name IN $readers)) AS narrowed
  WHERE moved OR narrowed
  MATCH (b:__GearStore {id: 'communities/' + p.collection})
  USING INDEX SEEK b:__GearStore(id)
  SET b.restricted = randomUUID(), b.moved = CASE WHEN moved THEN randomUUID() ELSE b.moved END
}
SET p.title = row.title, p.text = row.text, p.node = row.node,
  p.collection = $collection, p.readers = CASE WHEN fresh THEN $readers ELSE p.readers END,
  p.extractedAt = CASE WHEN row.card THEN datetime() END, p.extractors = CASE WHEN row.card THEN ['adopted'] END
MERGE (p)-[:DESCRIBES]->(n)
WITH p, row, fresh
CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
WITH sum(CASE WHEN fresh THEN 1 ELSE 0 END) AS written
// include: graph_written()
RETURN written
