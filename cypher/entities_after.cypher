// name: entities_after(key, limit)
// access: read
// columns: key
// The next $limit keys of entities after a key, in order: a page without an offset.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key > $key
RETURN e.key AS key
ORDER BY key
LIMIT $limit
