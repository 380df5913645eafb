// name: count_imported()
// access: read
// columns: nodes
// The number of nodes that an unfinished import has written, from the server's own counter.
MATCH (n:__GearImport)
RETURN count(n) AS nodes
