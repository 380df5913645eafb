// name: extracted_triples(passages)
// access: read
// columns: id
// The ids of the triples that extractors made from passages.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages
MATCH (p)<-[:FROM]-(t:Triple)
WHERE t.extractor IS NOT NULL
RETURN t.id AS id
