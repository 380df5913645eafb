// name: write_triples(entities, triples, passages, extractor, read)
// access: write
// columns: completed
// Writes triples, each once, with their entities and embeddings (float32), and marks passages as read by an extractor,
// whose name each triple stores. completed is the number of passages it marked. $read has the title and text of
// passages that the extractor saw: if either has changed since, nothing is written for the passage.
// include: shared_lock()
CALL () {
  UNWIND $read AS seen
  MATCH (p:Passage {id: seen.id})
  USING INDEX SEEK p:Passage(id)
  WHERE p.title <> seen.title OR p.text <> seen.text
  RETURN collect(p.id) AS replaced
}
CALL (replaced) {
  UNWIND $triples AS row
  // A passage deleted since it was read must not leave entities without triples.
  MATCH (p:Passage {id: row.passage})
  USING INDEX SEEK p:Passage(id)
  WHERE NOT p.id IN replaced
  RETURN collect(row) AS rows
}
WITH replaced, rows, [row IN rows | row.subjectKey] + [row IN rows | row.objectKey] AS named
CALL (named) {
  UNWIND $entities AS entity
  WITH entity
  WHERE entity.key IN named
  MERGE (e:Entity {key: entity.key})
  ON CREATE SET e.name = entity.name, e.plain = entity.plain
  WITH e, entity
  // No lock is taken for the others.
  WHERE
    // include: is_better_spelling(entity.name, e.name)
  SET e.name = entity.name
}
CALL (rows) {
  UNWIND rows AS row
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
  // Not MERGE, which locks both ends: concurrent writes would wait at every hub.
  WHERE NOT EXISTS { (t)-[:FROM]->() }
  CREATE (t)-[:SUBJECT]->(s)
  CREATE (t)-[:OBJECT]->(o)
  CREATE (t)-[:FROM]->(p)
  WITH t, row
  CALL db.create.setNodeVectorProperty(t, 'embedding', row.embedding)
}
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages AND NOT p.id IN replaced
WITH p, coalesce(p.extractors, []) AS extractors
WHERE NOT $extractor IN extractors
SET p.extractedAt = datetime(), p.extractors = extractors + $extractor
SET p.extractionError = CASE p.extractionModel WHEN $extractor THEN null ELSE p.extractionError END
SET p.extractionModel = nullIf(p.extractionModel, $extractor)
WITH count(*) AS completed
// include: graph_written()
RETURN completed
