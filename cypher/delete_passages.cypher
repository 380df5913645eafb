// name: delete_passages(ids)
// access: write
// Passages go with their triples and with the entities that no triple names any more; a node without our label stays,
// whatever our triples said of it. Says how many of each went.
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
WHERE p.id IN $ids
OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
WITH collect(DISTINCT p) AS passages, collect(t) AS triples
CALL (triples) {
  UNWIND triples AS t
  // What stands for a relationship of the user's points at the user's nodes, whatever their labels.
  WITH t
  WHERE t.relationship IS NULL
  MATCH (t)-[:SUBJECT|OBJECT]->(e:Entity)
  RETURN collect(DISTINCT e) AS entities
}
FOREACH (gone IN triples + passages | DETACH DELETE gone)
WITH size(passages) AS passages, size(triples) AS triples, entities
CALL (entities) {
  UNWIND entities AS e
  WITH e
  WHERE NOT EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Triple) }
  DETACH DELETE e
  RETURN count(*) AS orphans
}
RETURN passages, triples, orphans AS entities
