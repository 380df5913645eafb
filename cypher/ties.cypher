// name: ties()
// access: read
// columns: ties
// Which relationship types connect which labels in the adopted graph: JSON with a list [start, type, end, count] for
// each.
MATCH (s:__GearStore {id: 'store'})
RETURN coalesce(properties(s).ties, []) AS ties
