// name: record_extraction_error(passage, error, model)
// access: write
// Record why a model gave no triples for a passage.
MATCH (p:Passage {id: $passage})
USING INDEX SEEK p:Passage(id)
WHERE p.extractedAt IS NULL
SET p.extractionError = $error, p.extractionModel = $model
