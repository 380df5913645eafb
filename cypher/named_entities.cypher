// name: named_entities(keys)
// access: read
// columns: key, id, name, embedded
// scope: filtered
// The entities with one of the given keys: key, id (element id), name, and whether it has an embedding.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key IN $keys /*+ AND IN_SCOPE_ENTITY(e) */
RETURN e.key AS key, elementId(e) AS id, coalesce(/*+ SPELLING(e), */ e.name) AS name,
  e.embedding IS NOT NULL AS embedded
ORDER BY key
