// fragment: to_extract(p)
// Keeps the passages that $extractor has yet to read: those that neither it nor any extractor outside of $beside has
// read, or, if $beside is null, those that it has not read. One with a recorded failure of this extractor only counts
// with $failed. $collection is their collection, null for any.
WITH p, coalesce(p.extractors, []) AS extractors
WHERE NOT $extractor IN extractors AND ($beside IS NULL OR all(name IN extractors WHERE name IN $beside))
  AND ($failed OR coalesce(p.extractionModel, '') <> $extractor)
  AND ($collection IS NULL OR coalesce(p.collection, 'default') = $collection)
