// name: write_passages(rows, sources)
// access: write
// columns: written
// Writes passages with their embeddings (float32). written is how many are new. A row without readers gets the recorded
// ones of its source, at index row.of in $sources; a new one without a record gets those of the nearest folder or address
// that it is in, by the ids in source.within. If a new version of a document (whose passages have positions) has fewer
// readers, reports of communities are hidden until the next build.
// include: shared_lock()
CALL () {
  UNWIND $sources AS source
  UNWIND source.within AS id
  MATCH (o:__GearOrigin {id: id})
  USING INDEX SEEK o:__GearOrigin(id)
  WHERE o.readers IS NOT NULL
  WITH source, o
  ORDER BY size(o.id) DESC
  WITH source, collect(o.readers)[0] AS readers
  WHERE NOT EXISTS {
    MATCH (p:Passage {source: source.name})
    USING INDEX SEEK p:Passage(source)
    WHERE p.collection = source.collection
  }
  MERGE (r:__GearReaders {id: source.id})
  ON CREATE SET r.collection = source.collection, r.source = source.name, r.readers = readers
}
CALL () {
  UNWIND $sources AS source
  OPTIONAL MATCH (r:__GearReaders {id: source.id})
  USING INDEX SEEK r:__GearReaders(id)
  WITH source.number AS number, r.readers AS readers
  ORDER BY number
  RETURN collect(coalesce(readers, [])) AS known
}
CALL (known) {
  UNWIND $rows AS row
  WITH row.source AS source, row.collection AS collection, coalesce(row.readers, known[row.of]) AS readers,
    row.position AS position
  WHERE readers <> [] AND position IS NOT NULL
  WITH DISTINCT source, collection, readers
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
  p.collection = row.collection, p.readers = nullIf(coalesce(row.readers, known[row.of]), []), p += row.metadata
WITH p, row
WHERE p.embedding IS NULL
CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
WITH count(*) AS written
// include: graph_written()
RETURN written
