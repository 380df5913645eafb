// name: entities_to_link(keys)
// access: read
// columns: key
// Those of the given entities whose synonyms were not linked yet, in order of key.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key IN $keys AND e.synonymsLinked IS NULL
RETURN e.key AS key
ORDER BY key
