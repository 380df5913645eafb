// name: forget_import()
// access: write
// Forget how far the files of an import were read: it is finished.
MATCH (f:__GearImportFile)
DELETE f
