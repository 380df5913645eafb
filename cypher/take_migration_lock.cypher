// name: take_migration_lock(name, id, seconds)
// access: write
// columns: held
// Takes or renews the migration lock. It can also be taken from a holder that has not renewed it for $seconds. held is
// whether the lock is now held under $id.
MERGE (l:__Neo4jMigrationsLock {name: $name})
ON CREATE SET l.id = $id, l.at = datetime()
FOREACH (ignored IN CASE WHEN l.id = $id OR l.at < datetime() - duration({seconds: $seconds}) THEN [1] ELSE [] END |
  SET l.id = $id, l.at = datetime()
)
RETURN l.id = $id AS held
