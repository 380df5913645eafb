// name: stop_import(holder)
// access: write
// columns: files, complete
// Stops an import that is given up: no process writes another row. files is the number of recorded files; complete is
// whether every row is already written, so that there is nothing to stop.
MATCH (f:__GearImportFile)
// The lock on the node is taken before it is read.
SET f.turn = $holder
WITH collect(f) AS files
WITH files, any(f IN files WHERE coalesce(f.complete, false)) AS complete
FOREACH (f IN CASE WHEN complete THEN [] ELSE files END | SET f.line = -1)
RETURN size(files) AS files, complete
