// name: write_adopted_triples(rows)
// access: write
// A triple for each relationship of the user's, pointing at the user's own nodes, with embeddings (float32). A
// relationship whose end or passage has gone meanwhile is passed over. Says how many were written.
CALL () {
  // To look it up shares a lock on its entry in the index with others that write, and not with those that delete.
  MATCH (gate:__GearStore {id: 'gate'})
  USING INDEX SEEK gate:__GearStore(id)
  RETURN count(gate) AS gates
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
WITH row, t, a, b, p
// Not MERGE, which locks both ends: whoever writes at the same time would wait at every hub.
WHERE NOT EXISTS { (t)-[:FROM]->() }
CREATE (t)-[:SUBJECT]->(a)
CREATE (t)-[:OBJECT]->(b)
CREATE (t)-[:FROM]->(p)
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'embedding', row.embedding)
WITH count(*) AS written
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale. Last, for another that writes meanwhile waits from here on.
  SET s.changed = randomUUID()
}
RETURN written
