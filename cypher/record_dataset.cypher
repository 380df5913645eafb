// name: record_dataset(name, fingerprint)
// access: write
// columns: none
// Stores the name of the data set in the database, and the fingerprint of its files once it is complete.
MATCH (s:__GearStore {id: 'store'})
SET s.dataset = $name, s.datasetFingerprint = $fingerprint
