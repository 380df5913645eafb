// name: delete_triples(ids)
// access: write
// Triples that stand for relationships go; the nodes that they point at stay.
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
MATCH (t:Triple)
USING INDEX SEEK t:Triple(id)
WHERE t.id IN $ids AND t.relationship IS NOT NULL
DETACH DELETE t
RETURN count(*) AS triples
