// name: delete_triples(ids)
// access: write
// Triples that stand for relationships go; the nodes that they point at stay.
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // Alone: those that write share a lock on this entry of the index, and to take the id away needs it for oneself. What
  // is being written could else lose an entity that it is about to point at.
  REMOVE s.id
  // From here on a projection of the graph is stale.
  SET s.id = 'store', s.changed = randomUUID()
}
MATCH (t:Triple)
USING INDEX SEEK t:Triple(id)
WHERE t.id IN $ids AND t.relationship IS NOT NULL
DETACH DELETE t
WITH count(*) AS triples
RETURN triples
