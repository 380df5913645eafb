// name: write_entity_embeddings(rows)
// access: write
// Embeddings of entities, stored as float32.
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})
USING INDEX SEEK e:Entity(key)
CALL db.create.setNodeVectorProperty(e, 'embedding', row.embedding)
