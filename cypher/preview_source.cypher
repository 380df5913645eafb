// name: preview_source(source, collection)
// access: read
// columns: passages, triples, entities
// What deleting the passages of a source in a collection would remove: the numbers of passages, of triples, and of
// entities without another triple.
CALL () {
  MATCH (p:Passage {source: $source})
  USING INDEX SEEK p:Passage(source)
  WHERE coalesce(p.collection, 'default') = $collection
  OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
  RETURN count(DISTINCT p) AS passages, count(t) AS triples
}
CALL () {
  MATCH (p:Passage {source: $source})
  USING INDEX SEEK p:Passage(source)
  WHERE coalesce(p.collection, 'default') = $collection
  MATCH (p)<-[:FROM]-(t:Triple)-[:SUBJECT|OBJECT]->(e:Entity)
  WHERE t.relationship IS NULL AND t.property IS NULL
  WITH DISTINCT e
  // A list, because with a pattern, the planner would look up all passages of the source for each triple.
  WHERE NOT EXISTS {
    (e)<-[:SUBJECT|OBJECT]-(other:Triple)
    WHERE coalesce([(other)-[:FROM]->(q:Passage) WHERE coalesce(q.collection, 'default') = $collection | q.source][0], '')
      <> $source
  }
  RETURN count(e) AS entities
}
RETURN passages, triples, entities
