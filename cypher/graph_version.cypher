// name: graph_version()
// access: read
// columns: changed, passages, triples, entities, synonyms
// scope: free
// Values that change whenever the graph does: changed, from the stamps of our writes, one on the store or one of 64
// random numbers, and the counts, which also reveal what others added or deleted. The cost does not depend on the size
// of the graph.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s).changed AS changed
OPTIONAL MATCH (stamp:__GearStore)
USING INDEX SEEK stamp:__GearStore(id)
WHERE stamp.id STARTS WITH 'stamp/'
WITH changed, sum(stamp.changed) AS stamps
RETURN CASE stamps WHEN 0 THEN changed ELSE coalesce(changed, '') + '+' + stamps END AS changed,
  COUNT { MATCH (:Passage) } AS passages, COUNT { MATCH (:Triple) } AS triples, COUNT { MATCH (:Entity) } AS entities,
  COUNT { MATCH (:Entity)-[:SYNONYM]->() } AS synonyms
