// name: rename_passages(rows)
// access: write
// columns: renamed
// Gives passages and their triples the ids that they have under another source; their vectors and entities stay. A
// passage whose new id is taken is not renamed. renamed is how many were renamed.
// include: shared_lock()
UNWIND $rows AS row
MATCH (p:Passage {id: row.from})
USING INDEX SEEK p:Passage(id)
WHERE row.to = row.from OR NOT EXISTS {
  MATCH (taken:Passage {id: row.to})
}
SET p.id = row.to, p.source = row.source
WITH p, row
CALL (row) {
  UNWIND row.triples AS pair
  MATCH (t:Triple {id: pair.from})
  USING INDEX SEEK t:Triple(id)
  SET t.id = pair.to
}
WITH count(*) AS renamed
// include: graph_written()
RETURN renamed
