// name: late_reports()
// access: read
// columns: id, readers
// The communities whose reports use more than their build knows, and the sets of readers of all that each report uses.
MATCH (c:__GearCommunity)
WHERE c.lateReaders IS NOT NULL
RETURN c.id AS id, c.lateReaders AS readers
