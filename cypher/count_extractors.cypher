// name: count_extractors()
// access: read
// columns: extractor, passages
// How many passages each extractor has read, most first.
MATCH (p:Passage)
UNWIND p.extractors AS extractor
RETURN extractor, count(*) AS passages
ORDER BY passages DESC, extractor
