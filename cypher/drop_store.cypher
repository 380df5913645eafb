// name: drop_store(target)
// access: write
// columns: others
// Deletes the store, the records of syncs, and the migrations of a target. others is whether the migrations of another target remain.
OPTIONAL MATCH (s:__GearStore)
OPTIONAL MATCH (m:__Neo4jMigration {migrationTarget: $target})
OPTIONAL MATCH (l:__Neo4jMigrationsLock {name: $target})
OPTIONAL MATCH (d:__GearSource)
WITH collect(DISTINCT d) + collect(DISTINCT s) + collect(DISTINCT m) + collect(DISTINCT l) AS ours
FOREACH (node IN ours | DETACH DELETE node)
RETURN EXISTS { MATCH (:__Neo4jMigration) } AS others
