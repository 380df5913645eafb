// name: graph_version()
// access: read
// What changes whenever the graph does: the stamp that each of our writes leaves on the store, and the counts, which also
// tell of what others added or deleted. All of it is read from counters, whatever the size of the graph.
MATCH (s:__GearStore {id: 'store'})
RETURN properties(s).changed AS changed, COUNT { MATCH (:Passage) } AS passages, COUNT { MATCH (:Triple) } AS triples,
  COUNT { MATCH (:Entity) } AS entities, COUNT { MATCH ()-[:SYNONYM]->() } AS synonyms
