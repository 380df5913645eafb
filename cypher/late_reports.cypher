// name: late_reports()
// access: read
// columns: id, readers
// The communities whose reports rest on more than their build knows, and the sets of readers of all that each rests on.
MATCH (c:__GearCommunity)
WHERE c.lateReaders IS NOT NULL
RETURN c.id AS id, c.lateReaders AS readers
