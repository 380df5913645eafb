// fragment: exclusive_lock()
// Deletions and changes of readers run one after another, and never at the same time as a write.
CALL () {
  MATCH (turn:__GearStore {id: 'turn'})
  USING INDEX SEEK turn:__GearStore(id)
  SET turn.taken = true
  WITH turn
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  // Writes hold a shared lock on this index entry, and removing the id takes an exclusive lock. Otherwise a write could
  // lose an entity that it is about to link to, and a new triple would keep the old readers of its passage.
  REMOVE gate.id
  SET gate.id = 'gate'
}
