// name: named_entities(keys)
// access: read
// Those of the keys that are entities: key and element id.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key IN $keys
RETURN e.key AS key, elementId(e) AS id
ORDER BY key
