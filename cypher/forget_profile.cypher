// name: forget_profile()
// access: write
// columns: none
// Removes the profile of the adopted graph from the store.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
REMOVE s.profile, s.names, s.ties, s.graphSchema, s.vectors, s.foreignEntities
WITH s
MATCH (g:__GearStore {id: 'graph'})
USING INDEX SEEK g:__GearStore(id)
DELETE g
