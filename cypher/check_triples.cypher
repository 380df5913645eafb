// name: check_triples(passages, triples)
// access: read
// Of the passages and triples of a batch, by id: the passages that exist, those without status, the triples that exist.
CALL () {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(id)
  WHERE p.id IN $passages
  RETURN collect(p.id) AS known, collect(CASE WHEN p.extractedAt IS NULL THEN p.id END) AS open
}
CALL () {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN $triples
  RETURN collect(t.id) AS written
}
RETURN known, open, written
