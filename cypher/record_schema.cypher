// name: record_schema(schema)
// access: write
// columns: none
// Stores the schema of the adopted graph, a JSON text: labels, types, their properties, and ties between labels.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
SET s.graphSchema = $schema
