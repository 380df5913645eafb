// name: import_relationships(rows, file, holder, after, line)
// access: write
// columns: written
// Creates relationships of a CSV file between imported nodes, with the user's type and properties, and stores the
// progress in that file in the same transaction. Temporal and spatial values are built on the server. Nothing is
// created unless the file was imported up to the line $after: another process may have gone on from there. written is
// whether the rows are in the graph by this $holder, also if it sends them a second time.
OPTIONAL MATCH (f:__GearImportFile {file: $file})
USING INDEX SEEK f:__GearImportFile(file)
// The lock on the node comes before the look at its line.
SET f.turn = $holder
WITH f, f.line = $after AS due, f.line = $line AND f.holder = $holder AS done
FOREACH (ignored IN CASE WHEN due THEN [1] ELSE [] END | SET f.line = $line, f.holder = $holder)
WITH coalesce(due, false) AS due, coalesce(done, false) AS done
CALL (due) {
  UNWIND CASE WHEN due THEN $rows ELSE [] END AS row
  MATCH (a:__GearImport {__gearImport: row.start})
  USING INDEX SEEK a:__GearImport(__gearImport)
  MATCH (b:__GearImport {__gearImport: row.end})
  USING INDEX SEEK b:__GearImport(__gearImport)
  CREATE (a)-[r:$(row.type)]->(b)
  SET r += row.properties
  WITH r, row
  CALL (r, row) {
    UNWIND row.built AS built
    WITH r, built, [text IN built.texts | CASE built.type
      WHEN 'date' THEN date(text)
      WHEN 'time' THEN time(text)
      WHEN 'localtime' THEN localtime(text)
      WHEN 'datetime' THEN datetime(text)
      WHEN 'localdatetime' THEN localdatetime(text)
      WHEN 'duration' THEN duration(text)
      WHEN 'point' THEN point(text)
    END] AS values
    SET r[built.name] = CASE WHEN built.array THEN values ELSE values[0] END
  }
  RETURN count(*) AS rows
}
RETURN due OR done AS written
