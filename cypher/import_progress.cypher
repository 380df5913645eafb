// name: import_progress()
// access: read
// columns: file, fingerprint, line, complete
// The progress of an unfinished import: for each file, its fingerprint, the last imported line (-1 once the import is
// being given up), and whether every row of the import is written, so that only the keys must still be removed.
MATCH (f:__GearImportFile)
RETURN f.file AS file, f.fingerprint AS fingerprint, f.line AS line, coalesce(f.complete, false) AS complete
