// name: contents()
// access: read
// columns: adopted, foreign, entities
// What the database holds: adopted, whether a graph was adopted, foreign, whether the nodes with the label Entity are
// those of that graph, and the number of entities, from the server's own counter. No row in a database without our data.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s) AS store
RETURN store.profile IS NOT NULL AS adopted, coalesce(store.foreignEntities, false) AS foreign,
  COUNT { MATCH (:Entity) } AS entities
