// name: release_migration_lock(name, id)
// access: write
// columns: none
// Releases the migration lock if the holder still has it.
MATCH (l:__Neo4jMigrationsLock {name: $name})
WHERE l.id = $id
DELETE l
