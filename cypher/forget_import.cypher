// name: forget_import()
// access: write
// columns: none
// Deletes the progress of an import that is complete.
MATCH (f:__GearImportFile)
DELETE f
