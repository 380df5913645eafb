// name: record_profile(profile, names, vectors, foreign, collection, readers)
// access: write
// columns: none
// Stores the profile of the adopted graph, the properties that name its nodes, the kind of vectors of its triples, and
// whether the user's nodes have the label of our entities. One node represents all nodes of the graph: it has their
// collection and the readers that all of them have, null for everybody, [''] if each node has its own.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.profile = $profile, s.names = $names, s.vectors = $vectors, s.foreignEntities = $foreign,
  // Views of the graph must be made again, because their rights may have changed.
  s.changed = randomUUID()
MERGE (g:__GearStore {id: 'graph'})
SET g.collection = $collection, g.readers = $readers
