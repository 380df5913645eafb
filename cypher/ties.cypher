// name: ties()
// access: read
// columns: ties
// Which labels are connected by which relationship types in the adopted graph: a JSON text of [start, type, end, count]
// each.
MATCH (s:__GearStore {id: 'store'})
RETURN coalesce(properties(s).ties, []) AS ties
