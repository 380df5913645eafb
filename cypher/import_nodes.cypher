// name: import_nodes(rows, file, fingerprint, line)
// access: write
// Nodes of a CSV file with the user's own labels and properties, each with its key of the import until that is finished;
// and, in the same transaction, how far the file has been read. Of some types the server makes the values.
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
