// name: community_store()
// access: read
// columns: version, most, communities
// version is the version of the graph from which the communities were built, most the size limit of a leaf community;
// both are null if communities were never built. communities is their number.
MATCH (s:__GearStore {id: 'store'})
RETURN properties(s).communitiesOf AS version, properties(s).communitySize AS most,
  COUNT { MATCH (:__GearCommunity) } AS communities
