// name: migration_chain(target)
// access: read
// columns: version, description, checksum
// The applied migrations of a target, in order.
MATCH (m:__Neo4jMigration)
WHERE m.migrationTarget = $target AND m.version <> 'BASELINE'
RETURN m.version AS version, m.description AS description, m.checksum AS checksum
ORDER BY version
