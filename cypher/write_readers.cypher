// name: write_readers(rows, widen)
// access: write
// columns: passages, triples
// Sets the readers of passages and of their triples; none means everybody. The columns are the numbers of changed
// passages and triples. Without $widen, a passage that would get more readers keeps its own. If a reader loses a
// passage, reports of communities are hidden until the next build.
// include: exclusive_lock()
// include: graph_changed(1)
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
USING INDEX SEEK p:Passage(id)
WHERE coalesce(p.readers, []) <> row.readers
  AND ($widen OR p.readers IS NULL OR row.readers <> [] AND all(name IN row.readers WHERE name IN p.readers))
WITH p, row,
  row.readers <> []
    AND (p.readers IS NULL OR any(name IN p.readers WHERE name <> '' AND NOT name IN row.readers)) AS narrowed
SET p.readers = nullIf(row.readers, [])
WITH p, narrowed
CALL (p) {
  MATCH (p)<-[:FROM]-(t:Triple)
  SET t.readers = p.readers
  RETURN count(t) AS triples
}
WITH count(p) AS passages, sum(triples) AS triples,
  collect(DISTINCT CASE WHEN narrowed THEN p.collection END) AS collections
CALL (collections) {
  UNWIND collections AS name
  MATCH (b:__GearStore {id: 'communities/' + name})
  USING INDEX SEEK b:__GearStore(id)
  SET b.restricted = randomUUID()
}
RETURN passages, triples
