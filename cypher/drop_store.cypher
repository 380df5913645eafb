// name: drop_store(target)
// access: write
// columns: others
// Deletes the store, the records of sources, and the migrations of a target. others is whether the migrations of another
// target remain.
CALL () {
  MATCH (n:__GearStore|__GearSource|__GearOrigin|__GearReaders)
  DETACH DELETE n
}
CALL () {
  MATCH (m:__Neo4jMigration {migrationTarget: $target})
  DETACH DELETE m
}
CALL () {
  MATCH (l:__Neo4jMigrationsLock {name: $target})
  DETACH DELETE l
}
RETURN EXISTS { MATCH (:__Neo4jMigration) } AS others
