// name: term_ids()
// access: read
// columns: id, whole
// Streams the ids of all names and values on record; whole is false for a name whose node was deleted.
MATCH (term:__GearTerm)
RETURN term.id AS id, term.owner IS NOT NULL OR EXISTS { (term)-[:NAME_OF]->() } AS whole
