// name: record_store(model, dimension)
// access: write
// Record the embedding model once; returns the one on record.
// And make the two nodes by which those that write and those that delete keep out of each other's way.
MERGE (:__GearStore {id: 'gate'})
MERGE (turn:__GearStore {id: 'turn'})
ON CREATE SET turn.taken = true
MERGE (s:__GearStore {id: 'store'})
ON CREATE SET s.embeddingModel = $model, s.dimension = $dimension, s.createdAt = datetime()
RETURN s.embeddingModel AS model, s.dimension AS dimension
