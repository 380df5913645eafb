// name: renew_migration_lock(name, id)
// access: write
// columns: held
// Renews the migration lock if $id still holds it, but does not create one. held is whether $id holds it.
OPTIONAL MATCH (l:__Neo4jMigrationsLock {name: $name})
USING INDEX SEEK l:__Neo4jMigrationsLock(name)
WHERE l.id = $id
SET l.at = datetime()
RETURN l IS NOT NULL AS held
