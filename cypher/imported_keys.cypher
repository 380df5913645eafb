// name: imported_keys(keys)
// access: read
// Which of the keys stand for a node of the import that is under way.
MATCH (n:__GearImport)
USING INDEX SEEK n:__GearImport(__gearImport)
WHERE n.__gearImport IN $keys
RETURN n.__gearImport AS key
