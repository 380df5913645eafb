// name: weigh_source(source)
// access: read
// What deleting the passages of a source would take away: passages, triples, and the entities that only these name.
CALL () {
  MATCH (p:Passage {source: $source})
  USING INDEX SEEK p:Passage(source)
  OPTIONAL MATCH (p)<-[:FROM]-(t:Triple)
  RETURN count(DISTINCT p) AS passages, count(t) AS triples
}
CALL () {
  MATCH (p:Passage {source: $source})
  USING INDEX SEEK p:Passage(source)
  MATCH (p)<-[:FROM]-(t:Triple)-[:SUBJECT|OBJECT]->(e:Entity)
  WHERE t.relationship IS NULL
  WITH DISTINCT e
  // A list, for as a pattern with the source in it the planner looks up all passages of the source for each triple.
  WHERE NOT EXISTS {
    (e)<-[:SUBJECT|OBJECT]-(other:Triple)
    WHERE coalesce([(other)-[:FROM]->(q:Passage) | q.source][0], '') <> $source
  }
  RETURN count(e) AS entities
}
RETURN passages, triples, entities
