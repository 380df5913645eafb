// name: write_triples(entities, triples, passages, model)
// access: write
// Triples, each once, with their entities and embeddings (float32), and the status of the passages that they complete,
// with the name of the model that extracted them, if one did.
CALL () {
  // To look it up shares a lock on its entry in the index with others that write, and not with those that delete.
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  RETURN count(gate) AS gates
}
CALL () {
  UNWIND $entities AS entity
  MERGE (e:Entity {key: entity.key})
  ON CREATE SET e.name = entity.name
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
  ON CREATE SET t.subject = row.subject, t.predicate = row.predicate, t.object = row.object, t.text = row.text
  WITH row, t, s, o, p
  // Not MERGE, which locks both ends: whoever writes at the same time would wait at every hub.
  WHERE NOT EXISTS { (t)-[:FROM]->() }
  CREATE (t)-[:SUBJECT]->(s)
  CREATE (t)-[:OBJECT]->(o)
  CREATE (t)-[:FROM]->(p)
  WITH t, row
  CALL db.create.setNodeVectorProperty(t, 'embedding', row.embedding)
}
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages AND p.extractedAt IS NULL
SET p.extractedAt = datetime(), p.extractionModel = $model, p.extractionError = null
WITH count(*) AS completed
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale. Last, for another that writes meanwhile waits from here on.
  SET s.changed = randomUUID()
}
RETURN completed
