// name: entities_to_embed(keys)
// access: read
// columns: key, name
// The given entities that have no embedding yet: key and name.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key IN $keys AND e.embedding IS NULL
RETURN e.key AS key, e.name AS name
