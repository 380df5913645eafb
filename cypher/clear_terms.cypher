// name: clear_terms(limit)
// access: write
// columns: dropped
// Deletes any $limit names and values; dropped is how many.
// include: shared_lock()
MATCH (term:__GearTerm)
WITH term
LIMIT $limit
DETACH DELETE term
WITH count(*) AS dropped
// include: graph_written()
RETURN dropped
