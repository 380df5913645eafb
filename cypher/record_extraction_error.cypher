// name: record_extraction_error(passage, error, extractor)
// access: write
// columns: none
// Stores why an extractor made no triples from a passage.
MATCH (p:Passage {id: $passage})
USING INDEX SEEK p:Passage(id)
SET p.extractionError = $error, p.extractionModel = $extractor
