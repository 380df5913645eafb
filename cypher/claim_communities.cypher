// name: claim_communities(limit)
// access: write
// columns: communities
// Puts up to $limit communities of an older version into the collection "default", if that is the only one, with the
// record of their build. The next build sets who may read their reports. communities is how many it moved.
MATCH (s:__GearStore {id: 'store'})
USING INDEX SEEK s:__GearStore(id)
WHERE NOT EXISTS {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(collection)
  WHERE p.collection < 'default'
} AND NOT EXISTS {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(collection)
  WHERE p.collection > 'default'
}
CALL () {
  MATCH (c:__GearCommunity)
  WHERE c.collection IS NULL
  RETURN c
  LIMIT $limit
}
MERGE (b:__GearStore {id: 'communities/default'})
ON CREATE SET b.collection = 'default', b.moved = randomUUID(), b.restricted = randomUUID(),
  b.communitiesOf = properties(s).communitiesOf, b.communitySize = properties(s).communitySize
SET c.collection = 'default', c.moved = b.moved
RETURN count(*) AS communities
