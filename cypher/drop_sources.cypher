// name: drop_sources(collection, limit)
// access: write
// columns: deleted
// Deletes at most $limit of the records that syncs of a collection have made. deleted is how many it deleted.
MATCH (s:__GearSource {collection: $collection})
USING INDEX SEEK s:__GearSource(collection, origin)
WHERE s.origin IS NOT NULL
WITH s
LIMIT $limit
DELETE s
RETURN count(*) AS deleted
