// name: community_store()
// access: read
// Which version of the graph the communities are of, and how large one without parts may be; null, if there are none.
MATCH (s:__GearStore {id: 'store'})
RETURN properties(s).communitiesOf AS version, properties(s).communitySize AS most,
  COUNT { MATCH (:__GearCommunity) } AS communities
