// name: write_entity_embeddings(rows)
// access: write
// columns: none
// Writes the embeddings of entities (float32).
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})
USING INDEX SEEK e:Entity(key)
CALL db.create.setNodeVectorProperty(e, 'embedding', row.embedding)
