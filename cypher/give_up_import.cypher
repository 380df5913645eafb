// name: give_up_import(files, holder)
// access: write
// columns: none
// Takes files of an import that wrote nothing off the record, unless another process has gone on with one of them.
MATCH (f:__GearImportFile {holder: $holder})
WHERE f.file IN $files AND NOT EXISTS { MATCH (other:__GearImportFile) WHERE other.file IN $files AND other.line > 0 }
DELETE f
