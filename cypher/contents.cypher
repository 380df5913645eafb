// name: contents()
// access: read
// columns: adopted, chunks, foreign, entities
// scope: filtered
// The kinds of contents of the database: adopted (whether a graph was adopted), chunks (whether its profile names nodes
// with passages), foreign (whether the nodes with the label Entity belong to that graph), and the number of entities,
// from the server's own counter. No row in a database without our data.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s) AS store
RETURN store.profile IS NOT NULL /*+ AND $scope.adopted > 0 */ AS adopted,
  coalesce(store.profile CONTAINS '\n[chunks.', false) /*+ AND $scope.adopted > 0 */ AS chunks,
  coalesce(store.foreignEntities, false) AS foreign,
  COUNT { MATCH (:Entity) } /*+ * sign($scope.triples) */ AS entities
