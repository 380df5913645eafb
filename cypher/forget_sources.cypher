// name: forget_sources(ids)
// access: write
// columns: none
// Deletes the records of documents, so that the next sync reads them again.
MATCH (s:__GearSource)
USING INDEX SEEK s:__GearSource(id)
WHERE s.id IN $ids
DELETE s
