// name: record_moves(rows, collection, origin, moves)
// access: write
// columns: none
// Records documents that a sync has read. $moves are those that had another name, each with the old and new name of its
// record of readers, which moves with it in the same transaction. If another document had the new name, only readers of
// both may read it, unless that document has also moved (taken).
// include: exclusive_lock()
UNWIND $rows AS row
MERGE (s:__GearSource {id: row.id})
SET s.collection = $collection, s.origin = $origin, s.name = row.name, s.version = row.version, s.digest = row.digest,
  s.problem = row.problem, s.options = row.options
WITH count(*) AS recorded
CALL () {
  UNWIND $moves AS move
  OPTIONAL MATCH (former:__GearReaders {id: move.from})
  USING INDEX SEEK former:__GearReaders(id)
  // All are read before the first is written, because documents may exchange names.
  RETURN collect({to: move.to, source: move.source, taken: move.taken, readers: former.readers}) AS moved
}
CALL (moved) {
  UNWIND moved AS move
  OPTIONAL MATCH (former:__GearReaders {id: move.to})
  USING INDEX SEEK former:__GearReaders(id)
  WITH move, former, [name IN move.readers WHERE former IS NULL OR move.taken OR name IN former.readers] AS readers
  FOREACH (_ IN CASE WHEN move.readers IS NOT NULL THEN [1] ELSE [] END |
    MERGE (r:__GearReaders {id: move.to})
    SET r.collection = $collection, r.source = move.source, r.readers = CASE readers WHEN [] THEN [''] ELSE readers END
  )
  FOREACH (_ IN CASE WHEN move.readers IS NULL AND move.taken THEN [1] ELSE [] END | DELETE former)
}
