// name: import_nodes(rows, file, holder, after, line)
// access: write
// columns: written
// Creates nodes of a CSV file with the user's labels and properties, and stores the progress in that file in the same
// transaction. Each node has the import's key until the import is complete. Temporal and spatial values are built on
// the server. Nothing is created unless the file was imported up to the line $after: another process may have gone on
// from there. written is whether the rows are in the graph by this $holder, also if it sends them a second time.
OPTIONAL MATCH (f:__GearImportFile {file: $file})
USING INDEX SEEK f:__GearImportFile(file)
// The lock on the node comes before the look at its line.
SET f.turn = $holder
WITH f, f.line = $after AS due, f.line = $line AND f.holder = $holder AS done
FOREACH (ignored IN CASE WHEN due THEN [1] ELSE [] END | SET f.line = $line, f.holder = $holder)
WITH coalesce(due, false) AS due, coalesce(done, false) AS done
CALL (due) {
  UNWIND CASE WHEN due THEN $rows ELSE [] END AS row
  CREATE (n:__GearImport:$(row.labels))
  SET n += row.properties, n.__gearImport = row.key
  WITH n, row
  CALL (n, row) {
    UNWIND row.built AS built
    WITH n, built, [text IN built.texts | CASE built.type
      WHEN 'date' THEN date(text)
      WHEN 'time' THEN time(text)
      WHEN 'localtime' THEN localtime(text)
      WHEN 'datetime' THEN datetime(text)
      WHEN 'localdatetime' THEN localdatetime(text)
      WHEN 'duration' THEN duration(text)
      WHEN 'point' THEN point(text)
    END] AS values
    SET n[built.name] = CASE WHEN built.array THEN values ELSE values[0] END
  }
  RETURN count(*) AS rows
}
RETURN due OR done AS written
