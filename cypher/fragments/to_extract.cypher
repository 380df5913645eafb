// fragment: to_extract(p)
// Of passages, those that $extractor has yet to read: that neither it nor any extractor outside of $beside has read, or,
// with null for $beside, that it has not read. One whose recorded failure is this extractor's counts only with $failed.
// $collection is the one that they are in, null for any.
WITH p, coalesce(p.extractors, []) AS extractors
WHERE NOT $extractor IN extractors AND ($beside IS NULL OR all(name IN extractors WHERE name IN $beside))
  AND ($failed OR coalesce(p.extractionModel, '') <> $extractor)
  AND ($collection IS NULL OR coalesce(p.collection, 'default') = $collection)
