// name: forget_profile()
// access: write
// columns: none
// Removes the profile of the adopted graph from the store, and the templates over the graph.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
REMOVE s.profile, s.names, s.ties, s.graphSchema, s.terms, s.vectors, s.foreignEntities
WITH s
MATCH (g:__GearStore)
USING INDEX SEEK g:__GearStore(id)
WHERE g.id = 'graph' OR g.id STARTS WITH 'template/'
DELETE g
