// name: record_communities(version, most)
// access: write
// columns: stores
// Stores the version of the graph from which the communities were built, and the size limit of a leaf community. stores
// is 0 if the database has no store.
MATCH (s:__GearStore {id: 'store'})
SET s.communitiesOf = $version, s.communitySize = $most
RETURN count(*) AS stores
