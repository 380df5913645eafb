// name: forget_profile()
// access: write
// No graph is adopted any more.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
REMOVE s.profile, s.names, s.ties, s.foreignEntities
