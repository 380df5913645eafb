// name: record_communities(version, most)
// access: write
// Which version of the graph the communities are of, and how large one without parts may be.
MATCH (s:__GearStore {id: 'store'})
SET s.communitiesOf = $version, s.communitySize = $most
RETURN count(*) AS stores
