// name: check_triples(passages, triples)
// access: read
// columns: known, open, written
// What a batch of passages and triples has in the database, as lists of ids in one row: known (passages that exist),
// open (those of them that are not extracted yet), and written (triples that exist).
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
