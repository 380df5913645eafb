// name: record_terms()
// access: write
// columns: none
// Records that the names and values of the adopted graph are stored.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.terms = true
