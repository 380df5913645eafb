// fragment: graph_changed(changes)
// Makes projections of the graph stale if there are any changes.
CALL (*) {
  MATCH (store:__GearStore {id: 'store'})
  USING INDEX SEEK store:__GearStore(id)
  WHERE changes > 0
  SET store.changed = randomUUID()
}
