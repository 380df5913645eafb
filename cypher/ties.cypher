// name: ties()
// access: read
// Which labels the relationships of the adopted graph tie together: JSON of [start, type, end, count] each.
MATCH (s:__GearStore {id: 'store'})
RETURN coalesce(properties(s).ties, []) AS ties
