// name: give_up_import(files, holder)
// access: write
// columns: none
// Deletes the records of the files of an import that wrote nothing, except those that another process has continued.
MATCH (f:__GearImportFile {holder: $holder})
WHERE f.file IN $files AND NOT EXISTS { MATCH (other:__GearImportFile) WHERE other.file IN $files AND other.line > 0 }
DELETE f
