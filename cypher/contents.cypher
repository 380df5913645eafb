// name: contents()
// access: read
// columns: adopted, chunks, foreign, entities
// scope: filtered
// What the database holds: adopted, whether a graph was adopted, chunks, whether its profile names nodes that hold
// passages, foreign, whether the nodes with the label Entity are those of that graph, and the number of entities, from
// the server's own counter. No row in a database without our data.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s) AS store
RETURN store.profile IS NOT NULL /*+ AND $scope.adopted > 0 */ AS adopted,
  coalesce(store.profile CONTAINS '\n[chunks.', false) /*+ AND $scope.adopted > 0 */ AS chunks,
  coalesce(store.foreignEntities, false) AS foreign,
  COUNT { MATCH (:Entity) } /*+ * sign($scope.triples) */ AS entities
