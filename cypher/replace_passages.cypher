// name: replace_passages(rows)
// access: write
// Another title and text under ids that are taken, with their embeddings (float32): the triples of the old text go, with
// the entities that no triple names any more. Says how many triples and entities went.
CALL () {
  MATCH (turn:__GearStore {id: 'turn'})
  USING INDEX SEEK turn:__GearStore(id)
  // One at a time among those that delete.
  SET turn.taken = true
  WITH turn
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  // And none that writes: those share a lock on this entry of the index, and to take the id away needs it for oneself.
  // What is being written could else lose an entity that it is about to point at.
  REMOVE gate.id
  SET gate.id = 'gate'
  WITH gate
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale.
  SET s.changed = randomUUID()
}
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN [row IN $rows | row.id]
OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
WITH collect(t) AS triples
CALL (triples) {
  UNWIND triples AS t
  // What stands for a relationship of the user's points at the user's nodes, whatever their labels.
  WITH t
  WHERE t.relationship IS NULL
  MATCH (t)-[:SUBJECT|OBJECT]->(e:Entity)
  RETURN collect(DISTINCT e) AS entities
}
FOREACH (t IN triples | DETACH DELETE t)
WITH size(triples) AS triples, entities
CALL (entities) {
  UNWIND entities AS e
  WITH e
  WHERE NOT EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Triple) }
  DETACH DELETE e
  RETURN count(*) AS orphans
}
CALL () {
  UNWIND $rows AS row
  MATCH (p:Passage {id: row.id})
  USING INDEX SEEK p:Passage(id)
  SET p.title = row.title, p.text = row.text, p.source = row.source, p.position = row.position
  REMOVE p.extractedAt, p.extractionError
  WITH p, row
  CALL db.create.setNodeVectorProperty(p, 'embedding', row.embedding)
}
RETURN triples, orphans AS entities
