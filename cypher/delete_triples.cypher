// name: delete_triples(ids)
// access: write
// columns: triples
// Deletes triples that stand for relationships and keeps the nodes at their ends. triples is how many it deleted.
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
MATCH (t:Triple)
USING INDEX SEEK t:Triple(id)
WHERE t.id IN $ids AND t.relationship IS NOT NULL
DETACH DELETE t
RETURN count(*) AS triples
