// name: delete_passages(ids)
// access: write
// columns: passages, triples, entities
// Deletes passages, their triples, and the entities that have no other triple. The user's own nodes stay, whatever
// triples they had. The columns are the numbers of deleted passages, triples and entities.
// include: exclusive_lock()
// include: graph_changed(1)
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids
OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
WITH collect(DISTINCT p) AS passages, collect(t) AS triples
// include: entities_of(triples)
FOREACH (gone IN triples + passages | DETACH DELETE gone)
WITH size(passages) AS passages, size(triples) AS triples, entities
// include: delete_orphans(entities)
RETURN passages, triples, orphans AS entities
