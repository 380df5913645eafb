// name: import_nodes(rows, file, fingerprint, line)
// access: write
// columns: none
// Creates nodes of a CSV file with the user's labels and properties, and stores the progress in that file in the same
// transaction. Each node has the import's key until the import is complete. Temporal and spatial values are built on
// the server.
MERGE (f:__GearImportFile {file: $file})
SET f.fingerprint = $fingerprint, f.line = $line
WITH f
UNWIND $rows AS row
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
