// name: record_communities(collection, version, most)
// access: write
// columns: builds
// Stores the graph version of a collection's communities, and the size limit of a leaf community. builds is 0 if the
// collection was dropped meanwhile.
MATCH (b:__GearStore {id: 'communities/' + $collection})
USING INDEX SEEK b:__GearStore(id)
SET b.communitiesOf = $version, b.communitySize = $most
RETURN count(*) AS builds
