// name: begin_import(files, holder)
// access: write
// columns: file, fingerprint, line, complete
// Records the files of an import, each with its fingerprint, at line 0, unless they are already recorded. Returns the
// progress of all recorded files.
CALL () {
  UNWIND $files AS row
  MERGE (f:__GearImportFile {file: row.file})
  ON CREATE SET f.fingerprint = row.fingerprint, f.line = 0, f.holder = $holder
  RETURN count(*) AS files
}
MATCH (f:__GearImportFile)
RETURN f.file AS file, f.fingerprint AS fingerprint, f.line AS line, coalesce(f.complete, false) AS complete
