// name: record_ties(ties)
// access: write
// Note which labels the relationships of a graph tie together, as they were met when it was adopted: JSON of [start, type,
// end, count] each.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.ties = $ties
