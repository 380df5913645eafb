// name: entities_after(key, limit)
// access: read
// The keys that come after a key, in order: a page of all entities that needs no offset.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key > $key
RETURN e.key AS key
ORDER BY key
LIMIT $limit
