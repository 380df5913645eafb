// name: entities_to_embed(keys)
// access: read
// columns: key
// The given entities that have no embedding yet.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key IN $keys AND e.embedding IS NULL
RETURN e.key AS key
