// name: foreign_data()
// access: read
// Which of our labels hold nodes; asked before the first migration, when none of those can be ours.
RETURN [label IN [
  CASE WHEN EXISTS { MATCH (:Passage) } THEN 'Passage' END,
  CASE WHEN EXISTS { MATCH (:Triple) } THEN 'Triple' END,
  CASE WHEN EXISTS { MATCH (:Entity) } THEN 'Entity' END
] WHERE label IS NOT NULL] AS labels
