// name: record_store(model, dimension)
// access: write
// columns: model, dimension
// Stores the embedding model unless the store has one already, and creates the two nodes that keep writes and deletions
// apart. model and dimension are those of the store.
MERGE (:__GearStore {id: 'gate'})
MERGE (turn:__GearStore {id: 'turn'})
ON CREATE SET turn.taken = true
MERGE (s:__GearStore {id: 'store'})
ON CREATE SET s.embeddingModel = $model, s.dimension = $dimension, s.createdAt = datetime()
RETURN s.embeddingModel AS model, s.dimension AS dimension
