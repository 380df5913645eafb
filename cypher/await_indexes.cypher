// name: await_indexes(seconds)
// access: read
// Wait until every index is online.
CALL db.awaitIndexes($seconds)
