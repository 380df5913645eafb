// name: stop_import(holder)
// access: write
// columns: files, complete
// Stops an import that is to be given up: no process writes another row of it. files is how many are on record; complete is
// whether every row is there already, so that there is nothing to stop.
MATCH (f:__GearImportFile)
// The lock on the node comes before the look at it.
SET f.turn = $holder
WITH collect(f) AS files
WITH files, any(f IN files WHERE coalesce(f.complete, false)) AS complete
FOREACH (f IN CASE WHEN complete THEN [] ELSE files END | SET f.line = -1)
RETURN size(files) AS files, complete
