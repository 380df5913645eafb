// name: store_info(target)
// access: read
// columns: model, dimension, datasets, profile, names, vectors, foreign, migrations
// scope: free
// The store, or no row in a database without our data: the embedding model and its dimension, the data sets of
// evaluations, the profile of an adopted graph, the properties that name its nodes, the kind of vectors of its triples,
// foreign (whether the user's nodes have the label Entity), and the versions of the applied migrations of a target. A
// data set is its collection, its name and the fingerprint of its files, separated by tabs; without a fingerprint, it
// is not complete. Before there were collections, a database had only one data set.
MATCH (s:__GearStore {id: 'store'})
WITH properties(s) AS store
RETURN store.embeddingModel AS model, store.dimension AS dimension,
  coalesce(store.datasets,
    CASE WHEN store.dataset IS NULL THEN []
    ELSE ['default\t' + store.dataset + '\t' + coalesce(store.datasetFingerprint, '')] END) AS datasets,
  store.profile AS profile, coalesce(store.names, []) AS names,
  coalesce(store.vectors, 'encoded') AS vectors,
  coalesce(store.foreignEntities, false) AS foreign,
  COLLECT {
    MATCH (m:__Neo4jMigration)
    WITH properties(m) AS migration
    WHERE migration.migrationTarget = $target AND migration.version <> 'BASELINE'
    RETURN migration.version
  } AS migrations
