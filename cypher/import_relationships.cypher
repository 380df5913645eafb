// name: import_relationships(rows, file, fingerprint, line)
// access: write
// columns: none
// Creates relationships of a CSV file between imported nodes, with the user's type and properties, and stores the
// progress in that file in the same transaction. Temporal and spatial values are built on the server.
MERGE (f:__GearImportFile {file: $file})
SET f.fingerprint = $fingerprint, f.line = $line
WITH f
UNWIND $rows AS row
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
