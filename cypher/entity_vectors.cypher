// name: entity_vectors()
// access: read
// columns: key, embedding, linked
// Every entity with an embedding: its key, its embedding, and whether its synonyms were linked; streamed.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(key)
WHERE e.key >= '' AND e.embedding IS NOT NULL
RETURN e.key AS key, e.embedding AS embedding, coalesce(e.synonymsLinked, false) AS linked
