// fragment: shared_lock()
// Writes run concurrently, and deletions wait for them: this look-up takes a shared lock on the index entry.
CALL () {
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  RETURN count(gate) AS gates
}
