// name: count_communities()
// access: read
// columns: collection, communities
// The number of communities of each collection that has any, in order of name; without a collection, those of an older
// version, which built all collections together.
MATCH (c:__GearCommunity)
RETURN c.collection AS collection, count(*) AS communities
ORDER BY collection
