// name: drop_unwritten_import(holder)
// access: write
// columns: files
// Takes all files of an import off the record if it has written nothing. files is how many those were.
MATCH (f:__GearImportFile)
// The lock on the node comes before the look at its line.
SET f.turn = $holder
WITH collect(f) AS files
WITH CASE WHEN all(f IN files WHERE f.line = 0) THEN files ELSE [] END AS files
FOREACH (f IN files | DELETE f)
RETURN size(files) AS files
