// name: entities_to_link(keys)
// access: read
// columns: key
// The given entities whose synonyms have not been linked yet, in order of key.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key IN $keys AND e.synonymsLinked IS NULL
RETURN e.key AS key
ORDER BY key
