// name: import_progress()
// access: read
// columns: file, fingerprint, line
// The progress of an unfinished import: for each file, its fingerprint and the last line that was imported.
MATCH (f:__GearImportFile)
RETURN f.file AS file, f.fingerprint AS fingerprint, f.line AS line
