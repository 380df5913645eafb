// name: forget_origin(id)
// access: write
// columns: none
// Forgets a source, but not its documents. A source with readers stays: its documents may come back.
MATCH (o:__GearOrigin {id: $id})
USING INDEX SEEK o:__GearOrigin(id)
WHERE o.readers IS NULL
DELETE o
