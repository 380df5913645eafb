// name: write_readers(rows)
// access: write
// columns: passages, triples
// Sets the readers of passages, and of their triples with them; none means everybody. The columns are the numbers of
// both that were changed.
CALL () {
  MATCH (turn:__GearStore {id: 'turn'})
  USING INDEX SEEK turn:__GearStore(id)
  // Deletions and changes of readers run one after another.
  SET turn.taken = true
  WITH turn
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  // Writes are excluded: a triple that is written meanwhile would keep the old readers of its passage.
  REMOVE gate.id
  SET gate.id = 'gate'
  WITH gate
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // Makes projections of the graph stale.
  SET s.changed = randomUUID()
}
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
WHERE coalesce(p.readers, []) <> row.readers
SET p.readers = nullIf(row.readers, [])
WITH p
CALL (p) {
  MATCH (p)<-[:FROM]-(t:Triple)
  SET t.readers = p.readers
  RETURN count(t) AS triples
}
RETURN count(p) AS passages, sum(triples) AS triples
