// name: foreign_data()
// access: read
// columns: labels
// labels lists those of our labels that have nodes. It is read before the first migration, when such nodes cannot be
// ours.
RETURN [label IN [
  CASE WHEN EXISTS { MATCH (:Passage) } THEN 'Passage' END,
  CASE WHEN EXISTS { MATCH (:Triple) } THEN 'Triple' END,
  CASE WHEN EXISTS { MATCH (:Entity) } THEN 'Entity' END
] WHERE label IS NOT NULL] AS labels
