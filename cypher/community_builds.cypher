// name: community_builds()
// access: read
// columns: collection, version, most
// The last build of each collection: version is the graph version of its communities, most the size limit of a leaf
// community; both are null if that build was interrupted. A row without a collection is from an older version, which
// built all collections together.
CALL () {
  MATCH (b:__GearStore)
  USING INDEX SEEK b:__GearStore(id)
  WHERE b.id STARTS WITH 'communities/'
  RETURN properties(b) AS build
  UNION ALL
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  WHERE properties(s).communitiesOf IS NOT NULL
  RETURN properties(s) AS build
}
RETURN build.collection AS collection, build.communitiesOf AS version, build.communitySize AS most
