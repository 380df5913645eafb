// name: delete_triples(ids)
// access: write
// columns: triples
// Deletes triples, and the entities that have no other triple. The user's own nodes stay. triples is how many triples
// it deleted.
// include: exclusive_lock()
// include: graph_changed(1)
MATCH (t:Triple)
USING INDEX SEEK t:Triple(id)
WHERE t.id IN $ids
WITH collect(t) AS triples
// include: entities_of(triples)
FOREACH (t IN triples | DETACH DELETE t)
WITH size(triples) AS triples, entities
// include: delete_orphans(entities)
RETURN triples
