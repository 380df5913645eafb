// name: drop_terms(ids)
// access: write
// columns: dropped
// Deletes names and values that the graph no longer has; dropped is how many.
// include: shared_lock()
MATCH (term:__GearTerm)
USING INDEX SEEK term:__GearTerm(id)
WHERE term.id IN $ids
DETACH DELETE term
WITH count(*) AS dropped
// include: graph_written()
RETURN dropped
