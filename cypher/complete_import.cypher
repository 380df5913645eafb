// name: complete_import(holder)
// access: write
// columns: complete
// Records that every row of an import is written, unless it is being given up. complete is whether that is recorded.
MATCH (f:__GearImportFile)
// The lock on the node is taken before its line is read.
SET f.turn = $holder
WITH collect(f) AS files
WITH files, size(files) > 0 AND all(f IN files WHERE f.line >= 0) AS complete
FOREACH (f IN CASE WHEN complete THEN files ELSE [] END | SET f.complete = true)
RETURN complete
