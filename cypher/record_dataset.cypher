// name: record_dataset(name, fingerprint)
// access: write
// Note which data set the database holds, and the fingerprint of its files once it is complete.
MATCH (s:__GearStore {id: 'store'})
SET s.dataset = $name, s.datasetFingerprint = $fingerprint
