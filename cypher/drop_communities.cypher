// name: drop_communities(collection, limit)
// access: write
// columns: communities
// Deletes up to $limit communities of a collection, and the record of its last build. communities is how many it deleted.
CALL () {
  MATCH (b:__GearStore {id: 'communities/' + $collection})
  USING INDEX SEEK b:__GearStore(id)
  DELETE b
}
MATCH (c:__GearCommunity)
USING INDEX SEEK c:__GearCommunity(collection)
WHERE c.collection = $collection
WITH c
LIMIT $limit
DETACH DELETE c
RETURN count(*) AS communities
