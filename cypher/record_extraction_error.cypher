// name: record_extraction_error(passage, error, model)
// access: write
// columns: none
// Stores why a model extracted no triples from a passage.
MATCH (p:Passage {id: $passage})
USING INDEX SEEK p:Passage(id)
WHERE p.extractedAt IS NULL
SET p.extractionError = $error, p.extractionModel = $model
