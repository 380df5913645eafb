// name: count_extractors()
// access: read
// columns: extractor, passages
// The number of passages that each extractor has read, the largest first.
MATCH (p:Passage)
UNWIND p.extractors AS extractor
RETURN extractor, count(*) AS passages
ORDER BY passages DESC, extractor
