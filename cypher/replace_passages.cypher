// name: replace_passages(rows, widen)
// access: write
// columns: triples, entities
// Replaces title, text and embedding (float32) of passages. Deletes the triples of the old text, and the entities that
// have no other triple; the columns are the numbers of deleted triples and entities. Without $widen, a passage that
// would get more readers keeps its own. If a reader loses a passage, reports of communities are hidden until the next
// build.
// include: exclusive_lock()
// include: graph_changed(1)
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN [row IN $rows | row.id]
OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
WITH collect(t) AS triples
// include: entities_of(triples)
FOREACH (t IN triples | DETACH DELETE t)
WITH size(triples) AS triples, entities
// include: delete_orphans(entities)
CALL () {
  UNWIND $rows AS row
  MATCH (p:Passage {id: row.id})
  USING INDEX SEEK p:Passage(id)
  CALL (p, row) {
    WITH p, row
    WHERE row.readers <> []
      AND (p.readers IS NULL OR any(name IN p.readers WHERE name <> '' AND NOT name IN row.readers))
    MATCH (b:__GearStore {id: 'communities/' + p.collection})
    USING INDEX SEEK b:__GearStore(id)
    SET b.restricted = randomUUID()
  }
  SET p.title = row.title, p.text = row.text, p.source = row.source, p.position = row.position,
    p.readers = CASE
      WHEN row.readers IS NULL THEN p.readers
      WHEN $widen OR p.readers IS NULL OR row.readers <> [] AND all(name IN row.readers WHERE name IN p.readers)
      THEN nullIf(row.readers, [])
      ELSE p.readers
    END
  FOREACH (key IN [key IN keys(p) WHERE key STARTS WITH 'meta_' AND row.metadata[key] IS NULL] | SET p[key] = null)
  SET p += row.metadata
  REMOVE p.extractedAt, p.extractors, p.extractionError, p.extractionModel
  WITH p, row
  CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
}
RETURN triples, orphans AS entities
