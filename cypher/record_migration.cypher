// name: record_migration(target, previous, version, description, source, checksum, milliseconds, by)
// access: write
// columns: none
// Appends an applied migration to the chain of a target, in the format of the neo4j-migrations tool.
MERGE (p:__Neo4jMigration {version: $previous, migrationTarget: $target})
MERGE (m:__Neo4jMigration {version: $version, migrationTarget: $target})
SET m.description = $description, m.type = 'CYPHER', m.source = $source, m.checksum = $checksum, m.repeatable = false
MERGE (p)-[r:MIGRATED_TO]->(m)
SET r.at = datetime(), r.in = duration({milliseconds: $milliseconds}), r.by = $by, r.connectedAs = $by
