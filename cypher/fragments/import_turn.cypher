// fragment: import_turn()
// due is whether the rows of an import are the next in their file; done is whether this $holder has already written
// them.
OPTIONAL MATCH (f:__GearImportFile {file: $file})
USING INDEX SEEK f:__GearImportFile(file)
// The lock on the node is taken before its line is read.
SET f.turn = $holder
WITH f, f.line = $after AS due, f.line = $line AND f.holder = $holder AS done
FOREACH (ignored IN CASE WHEN due THEN [1] ELSE [] END | SET f.line = $line, f.holder = $holder)
WITH coalesce(due, false) AS due, coalesce(done, false) AS done
