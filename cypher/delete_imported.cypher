// name: delete_imported(limit)
// access: write
// columns: nodes
// Deletes up to $limit nodes of an unfinished import, with their relationships. nodes is how many it deleted.
MATCH (n:__GearImport)
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS nodes
