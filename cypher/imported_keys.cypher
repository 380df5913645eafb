// name: imported_keys(keys)
// access: read
// columns: key
// The given keys that have a node in the unfinished import.
MATCH (n:__GearImport)
USING INDEX SEEK n:__GearImport(__gearImport)
WHERE n.__gearImport IN $keys
RETURN n.__gearImport AS key
