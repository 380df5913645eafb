// fragment: graph_written()
// Makes projections of the graph stale by one of 64 stamps, because writers would wait for each other at a single node.
CALL () {
  WITH 'stamp/' + toInteger(rand() * 64) AS id
  MERGE (s:__GearStore {id: id})
  SET s.changed = toInteger(rand() * 2 ^ 53)
}
