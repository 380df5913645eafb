// name: await_indexes(seconds)
// access: read
// columns: none
// scope: free
// Waits until every index is online.
CALL db.awaitIndexes($seconds)
