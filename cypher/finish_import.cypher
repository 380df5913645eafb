// name: finish_import(limit)
// access: write
// Take the key of the import off some of its nodes; says how many.
MATCH (n:__GearImport)
WITH n
LIMIT $limit
REMOVE n:__GearImport, n.__gearImport
RETURN count(*) AS nodes
