// name: record_ties(ties)
// access: write
// columns: none
// Stores which relationship types connect which labels in the adopted graph: JSON with a list [start, type, end, count]
// for each.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.ties = $ties
