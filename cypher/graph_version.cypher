// name: graph_version()
// access: read
// columns: changed, passages, triples, entities, synonyms
// scope: free
// Values that change whenever the graph does: changed, the stamp that each of our writes leaves on the store, and the
// counts, which also reveal what others added or deleted. The cost does not depend on the size of the graph.
MATCH (s:__GearStore {id: 'store'})
RETURN properties(s).changed AS changed, COUNT { MATCH (:Passage) } AS passages, COUNT { MATCH (:Triple) } AS triples,
  COUNT { MATCH (:Entity) } AS entities, COUNT { MATCH ()-[:SYNONYM]->() } AS synonyms
