// name: release_migration_lock(name, id)
// access: write
// Give the migration lock back.
MATCH (l:__Neo4jMigrationsLock {name: $name})
WHERE l.id = $id
DELETE l
