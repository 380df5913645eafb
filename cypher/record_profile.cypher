// name: record_profile(profile, names, vectors, foreign)
// access: write
// columns: none
// Stores the profile of the adopted graph, the properties that name its nodes, how the vectors of its triples are made,
// and whether the user's nodes have the label of our entities.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.profile = $profile, s.names = $names, s.vectors = $vectors, s.foreignEntities = $foreign
