// name: store_info()
// access: read
// The embedding model and dimension that the database was built with, and the data set it holds for an evaluation;
// no row in a database without our data.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s) AS store
RETURN store.embeddingModel AS model, store.dimension AS dimension, store.dataset AS dataset,
  store.datasetFingerprint AS fingerprint
