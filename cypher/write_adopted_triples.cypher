// name: write_adopted_triples(rows, readers)
// access: write
// columns: written
// Writes a triple with an embedding (float32) for each of the user's relationships, and for each property of a node,
// which is then both its subject and its object. A new triple has $readers until stamp_adopted sets who may read it.
// Rows whose end or passage was deleted meanwhile are skipped. written is how many it wrote.
// include: shared_lock()
UNWIND $rows AS row
MATCH (p:Passage {id: row.passage})
USING INDEX SEEK p:Passage(id)
MATCH (a)
WHERE elementId(a) = row.start
MATCH (b)
WHERE elementId(b) = row.end
MERGE (t:Triple {id: row.id})
ON CREATE SET t.subject = row.subject, t.predicate = row.predicate, t.object = row.object, t.text = row.text,
  t.relationship = row.relationship, t.property = row.property, t.rank = row.rank,
  t.collection = p.collection, t.readers = $readers
WITH row, t, a, b, p
// Not MERGE, which locks both ends: concurrent writes would wait at every hub.
WHERE NOT EXISTS { (t)-[:FROM]->() }
CREATE (t)-[:SUBJECT]->(a)
CREATE (t)-[:OBJECT]->(b)
CREATE (t)-[:FROM]->(p)
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'embedding', row.embedding)
WITH count(*) AS written
// include: graph_written()
RETURN written
