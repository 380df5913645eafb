// name: delete_passages(ids)
// access: write
// columns: passages, triples, entities
// Deletes passages, their triples, and the entities that have no other triple. The user's own nodes stay, whatever
// triples they had. The columns are the numbers of deleted passages, triples and entities.
CALL () {
  MATCH (turn:__GearStore {id: 'turn'})
  USING INDEX SEEK turn:__GearStore(id)
  // Deletions run one after another.
  SET turn.taken = true
  WITH turn
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  // Writes are excluded: they hold a shared lock on this index entry, and removing the id takes an exclusive lock.
  // Otherwise a write could lose an entity that it is about to link to.
  REMOVE gate.id
  SET gate.id = 'gate'
  WITH gate
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // Makes projections of the graph stale.
  SET s.changed = randomUUID()
}
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids
OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
WITH collect(DISTINCT p) AS passages, collect(t) AS triples
CALL (triples) {
  UNWIND triples AS t
  // A triple over the user's own data is linked to the user's nodes, which may have the label Entity.
  WITH t
  WHERE t.relationship IS NULL AND t.property IS NULL
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
