// name: check_triples(passages, triples, extractor)
// access: read
// columns: known, open, written
// Which passages and triples of a batch are in the database, as lists of ids in one row: known (passages that exist),
// open (those that the extractor has not read), and written (triples that exist).
CALL () {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(id)
  WHERE p.id IN $passages
  WITH p, coalesce(p.extractors, []) AS extractors
  RETURN collect(p.id) AS known, collect(CASE WHEN NOT $extractor IN extractors THEN p.id END) AS open
}
CALL () {
  MATCH (t:Triple)
  USING INDEX SEEK t:Triple(id)
  WHERE t.id IN $triples
  RETURN collect(t.id) AS written
}
RETURN known, open, written
