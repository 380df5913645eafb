// name: store_info(target)
// access: read
// columns: model, dimension, dataset, fingerprint, profile, names, vectors, foreign, migrations
// scope: free
// The store, or no row in a database without our data: the embedding model and its dimension, the data set of an
// evaluation and the fingerprint of its files, the profile of an adopted graph, the names of the properties that name
// its nodes, how the vectors of its triples are made, foreign, which is whether the user's nodes have the label Entity,
// and the versions of the migrations of a target that were applied.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s) AS store
RETURN store.embeddingModel AS model, store.dimension AS dimension, store.dataset AS dataset,
  store.datasetFingerprint AS fingerprint, store.profile AS profile, coalesce(store.names, []) AS names,
  coalesce(store.vectors, 'encoded') AS vectors,
  coalesce(store.foreignEntities, false) AS foreign,
  COLLECT {
    MATCH (m:__Neo4jMigration)
    WITH properties(m) AS migration
    WHERE migration.migrationTarget = $target AND migration.version <> 'BASELINE'
    RETURN migration.version
  } AS migrations
