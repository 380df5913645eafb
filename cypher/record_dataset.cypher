// name: record_dataset(datasets)
// access: write
// columns: none
// Stores which data sets are in the database, each as in store_info.
MATCH (s:__GearStore {id: 'store'})
SET s.datasets = $datasets, s.dataset = null, s.datasetFingerprint = null
