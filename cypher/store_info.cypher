// name: store_info()
// access: read
// The embedding model and dimension that the database was built with, and the data set it holds for an evaluation;
// no row in a database without our data.
MATCH (s:__GearStore {id: 'store'})
RETURN s.embeddingModel AS model, s.dimension AS dimension, s.dataset AS dataset, s.datasetFingerprint AS fingerprint
