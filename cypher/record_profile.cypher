// name: record_profile(profile, names, foreign)
// access: write
// Note the profile by which a graph was adopted, the properties that name its nodes, and whether nodes of the user's
// have the label of our entities.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.profile = $profile, s.names = $names, s.foreignEntities = $foreign
