// name: migration_chain(target)
// access: read
// The migrations of a target that were applied, in order: version, description, checksum.
MATCH (m:__Neo4jMigration)
WHERE m.migrationTarget = $target AND m.version <> 'BASELINE'
RETURN m.version AS version, m.description AS description, m.checksum AS checksum
ORDER BY version
