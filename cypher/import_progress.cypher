// name: import_progress()
// access: read
// How far an import that is under way has read each of its files: file, fingerprint, line.
MATCH (f:__GearImportFile)
RETURN f.file AS file, f.fingerprint AS fingerprint, f.line AS line
