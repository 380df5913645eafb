// name: ids_to_extract(extractor, beside, collection, after, limit, failed)
// access: read
// columns: id
// The ids of the next $limit passages after an id that an extractor has yet to read, in order; those of
// passages_to_extract.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id > $after
WITH p, coalesce(p.extractors, []) AS extractors
WHERE NOT $extractor IN extractors AND ($beside IS NULL OR all(name IN extractors WHERE name IN $beside))
  AND ($failed OR coalesce(p.extractionModel, '') <> $extractor)
  AND ($collection IS NULL OR coalesce(p.collection, 'default') = $collection)
RETURN p.id AS id
ORDER BY id
LIMIT $limit
