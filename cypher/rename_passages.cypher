// name: rename_passages(rows)
// access: write
// columns: renamed
// Gives passages, and the triples that they state, the ids that they have under another source; their vectors and
// entities stay. A passage whose new id is taken is left alone. renamed is how many were renamed.
CALL () {
  // This look-up takes a shared lock on the index entry: writes run side by side, deletions wait.
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  RETURN count(gate) AS gates
}
UNWIND $rows AS row
MATCH (p:Passage {id: row.from})
USING INDEX SEEK p:Passage(id)
WHERE NOT EXISTS {
  MATCH (taken:Passage {id: row.to})
}
SET p.id = row.to, p.source = row.source
WITH p, row
CALL (row) {
  UNWIND row.triples AS pair
  MATCH (t:Triple {id: pair.from})
  USING INDEX SEEK t:Triple(id)
  SET t.id = pair.to
}
WITH count(*) AS renamed
CALL () {
  // Makes projections of the graph stale. One of 64 stamps, because writers would take turns at a single node.
  WITH 'stamp/' + toInteger(rand() * 64) AS id
  MERGE (s:__GearStore {id: id})
  SET s.changed = toInteger(rand() * 2 ^ 53)
}
RETURN renamed
