// name: finish_import(limit)
// access: write
// columns: nodes
// Removes the import's key and label from up to $limit nodes. nodes is how many it changed.
MATCH (n:__GearImport)
WITH n
LIMIT $limit
REMOVE n:__GearImport, n.__gearImport
RETURN count(*) AS nodes
