// name: drop_unwritten_import(holder)
// access: write
// columns: files
// Deletes the records of all files of an import if it has written nothing. files is how many it deleted.
MATCH (f:__GearImportFile)
// The lock on the node is taken before its line is read.
SET f.turn = $holder
WITH collect(f) AS files
WITH CASE WHEN all(f IN files WHERE f.line = 0) THEN files ELSE [] END AS files
FOREACH (f IN files | DELETE f)
RETURN size(files) AS files
