// name: named_entities(keys)
// access: read
// columns: key, id
// Those of the given keys that have an entity: key and id (element id).
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key IN $keys
RETURN e.key AS key, elementId(e) AS id
ORDER BY key
