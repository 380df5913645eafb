// name: write_passages(rows)
// access: write
// columns: written
// Writes passages with their embeddings (float32). written is how many are new. Where a new version of a document, whose
// passages have positions, is for fewer readers, reports of communities are hidden until the next build.
// include: shared_lock()
CALL () {
  UNWIND $rows AS row
  WITH row
  WHERE row.readers <> [] AND row.position IS NOT NULL
  WITH DISTINCT row.source AS source, row.collection AS collection, row.readers AS readers
  MATCH (former:Passage {source: source})
  USING INDEX SEEK former:Passage(source)
  WHERE former.collection = collection
    AND (former.readers IS NULL OR any(name IN former.readers WHERE name <> '' AND NOT name IN readers))
  WITH DISTINCT collection
  MATCH (b:__GearStore {id: 'communities/' + collection})
  USING INDEX SEEK b:__GearStore(id)
  SET b.restricted = randomUUID()
}
UNWIND $rows AS row
MERGE (p:Passage {id: row.id})
ON CREATE SET p.title = row.title, p.text = row.text, p.source = row.source, p.position = row.position,
  p.collection = row.collection, p.readers = nullIf(row.readers, []), p += row.metadata
WITH p, row
WHERE p.embedding IS NULL
CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
WITH count(*) AS written
// include: graph_written()
RETURN written
