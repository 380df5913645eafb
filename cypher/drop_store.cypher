// name: drop_store(target)
// access: write
// Remove the store and a target's chain of migrations; says whether somebody else keeps a chain here.
OPTIONAL MATCH (s:__GearStore)
OPTIONAL MATCH (m:__Neo4jMigration {migrationTarget: $target})
OPTIONAL MATCH (l:__Neo4jMigrationsLock {name: $target})
WITH collect(DISTINCT s) + collect(DISTINCT m) + collect(DISTINCT l) AS ours
FOREACH (node IN ours | DETACH DELETE node)
RETURN EXISTS { MATCH (:__Neo4jMigration) } AS others
