// name: drop_terms(run, limit)
// access: write
// columns: dropped
// Deletes at most $limit names and values that a run did not find, of all if it is null; dropped is how many.
// include: shared_lock()
MATCH (term:__GearTerm)
WHERE $run IS NULL OR term.run <> $run
WITH term
LIMIT $limit
DETACH DELETE term
WITH count(*) AS dropped
// include: graph_written()
RETURN dropped
