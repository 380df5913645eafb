// name: community_facts()
// access: read
// columns: id, passage, head, tail
// Streams every triple between two distinct nodes: id, passage (its id), head and tail (element ids).
MATCH (p:Passage)<-[:FROM]-(t:Triple)
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
WHERE s <> o
RETURN t.id AS id, p.id AS passage, elementId(s) AS head, elementId(o) AS tail
