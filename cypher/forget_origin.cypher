// name: forget_origin(id)
// access: write
// columns: none
// Forgets a source, but not its documents.
MATCH (o:__GearOrigin {id: $id})
USING INDEX SEEK o:__GearOrigin(id)
DELETE o
