// name: write_triples(entities, triples, passages, extractor)
// access: write
// columns: completed
// Writes triples, each once, with their entities and embeddings (float32), and marks passages as read by an
// extractor, whose name each triple keeps. completed is the number of passages it marked.
CALL () {
  // This look-up takes a shared lock on the index entry: writes run side by side, deletions wait.
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  RETURN count(gate) AS gates
}
CALL () {
  UNWIND $entities AS entity
  MERGE (e:Entity {key: entity.key})
  ON CREATE SET e.name = entity.name
  WITH e, entity, entity.name = toUpper(entity.name) AS shouted, e.name = toUpper(e.name) AS wasShouted
  // Of several spellings the least, and one without lower case only if all are: the order of an ingest does not matter.
  // No lock is taken for the others.
  WHERE wasShouted AND NOT shouted OR wasShouted = shouted AND entity.name < e.name
  SET e.name = entity.name
}
CALL () {
  UNWIND $triples AS row
  MATCH (p:Passage {id: row.passage})
  USING INDEX SEEK p:Passage(id)
  MATCH (s:Entity {key: row.subjectKey})
  USING INDEX SEEK s:Entity(key)
  MATCH (o:Entity {key: row.objectKey})
  USING INDEX SEEK o:Entity(key)
  MERGE (t:Triple {id: row.id})
  ON CREATE SET t.subject = row.subject, t.predicate = row.predicate, t.object = row.object, t.text = row.text,
    t.extractor = $extractor, t.collection = p.collection, t.readers = p.readers
  WITH row, t, s, o, p
  // Not MERGE: it locks both ends, and concurrent writes would wait at every hub.
  WHERE NOT EXISTS { (t)-[:FROM]->() }
  CREATE (t)-[:SUBJECT]->(s)
  CREATE (t)-[:OBJECT]->(o)
  CREATE (t)-[:FROM]->(p)
  WITH t, row
  CALL db.create.setNodeVectorProperty(t, 'embedding', row.embedding)
}
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages
WITH p, coalesce(p.extractors, []) AS extractors
WHERE NOT $extractor IN extractors
SET p.extractedAt = datetime(), p.extractors = extractors + $extractor
SET p.extractionError = CASE p.extractionModel WHEN $extractor THEN null ELSE p.extractionError END
SET p.extractionModel = nullIf(p.extractionModel, $extractor)
WITH count(*) AS completed
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // Makes projections of the graph stale. Last, because concurrent writes wait from here on.
  SET s.changed = randomUUID()
}
RETURN completed
