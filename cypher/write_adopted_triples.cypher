// name: write_adopted_triples(rows)
// access: write
// A triple for each relationship of the user's, pointing at the user's own nodes, with embeddings (float32). A
// relationship whose end or passage has gone meanwhile is passed over. Says how many were written.
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale.
  SET s.changed = randomUUID()
}
UNWIND $rows AS row
MATCH (p:Passage {id: row.passage})
USING INDEX SEEK p:Passage(id)
MATCH (a)
WHERE elementId(a) = row.start
MATCH (b)
WHERE elementId(b) = row.end
MERGE (t:Triple {id: row.id})
ON CREATE SET t.subject = row.subject, t.predicate = row.predicate, t.object = row.object, t.text = row.text,
  t.relationship = row.relationship, t.rank = row.rank
MERGE (t)-[:SUBJECT]->(a)
MERGE (t)-[:OBJECT]->(b)
MERGE (t)-[:FROM]->(p)
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'embedding', row.embedding)
RETURN count(*) AS written
