// name: store_info()
// access: read
// The embedding model and dimension that the database was built with, the data set it holds for an evaluation, and of a
// graph that was adopted the profile, the properties that name its nodes, and whether it has Entity nodes of its own; no
// row in a database without our data.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s) AS store
RETURN store.embeddingModel AS model, store.dimension AS dimension, store.dataset AS dataset,
  store.datasetFingerprint AS fingerprint, store.profile AS profile, coalesce(store.names, []) AS names,
  coalesce(store.foreignEntities, false) AS foreign
