// name: record_ties(ties)
// access: write
// columns: none
// Stores which labels are connected by which relationship types in the adopted graph: a JSON text of [start, type, end,
// count] each.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.ties = $ties
