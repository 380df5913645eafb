// name: delete_passages(ids)
// access: write
// Passages go with their triples and with the entities that no triple names any more; a node without our label stays,
// whatever our triples said of it. Says how many of each went.
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale.
  SET s.changed = randomUUID()
}
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids
OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
WITH collect(DISTINCT p) AS passages, collect(t) AS triples
CALL (triples) {
  UNWIND triples AS t
  // What stands for a relationship of the user's points at the user's nodes, whatever their labels.
  WITH t
  WHERE t.relationship IS NULL
  MATCH (t)-[:SUBJECT|OBJECT]->(e:Entity)
  WITH DISTINCT e
  ORDER BY e.key
  // A lock, for of two that take away the last triples of an entity, neither would see those that the other took; in
  // order, so that they do not wait for each other.
  SET e.key = e.key
  RETURN collect(e) AS entities
}
FOREACH (gone IN triples + passages | DETACH DELETE gone)
WITH size(passages) AS passages, size(triples) AS triples, entities
CALL (entities) {
  UNWIND entities AS e
  WITH e
  WHERE NOT EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Triple) }
  DETACH DELETE e
  RETURN count(*) AS orphans
}
RETURN passages, triples, orphans AS entities
