// name: record_store(model, dimension)
// access: write
// Record the embedding model once; returns the one on record.
MERGE (s:__GearStore {id: 'store'})
ON CREATE SET s.embeddingModel = $model, s.dimension = $dimension, s.createdAt = datetime()
RETURN s.embeddingModel AS model, s.dimension AS dimension
