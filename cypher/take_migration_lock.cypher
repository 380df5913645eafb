// name: take_migration_lock(name, id, seconds)
// access: write
// Take or keep the migration lock, also from a holder that has not been heard of for so many seconds; says whether it
// is ours.
MERGE (l:__Neo4jMigrationsLock {name: $name})
ON CREATE SET l.id = $id, l.at = datetime()
FOREACH (ignored IN CASE WHEN l.id = $id OR l.at < datetime() - duration({seconds: $seconds}) THEN [1] ELSE [] END |
  SET l.id = $id, l.at = datetime()
)
RETURN l.id = $id AS taken
