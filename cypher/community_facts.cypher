// name: community_facts()
// access: read
// Every triple between two different nodes, streamed: its id, its passage, and the element ids of its ends.
MATCH (p:Passage)<-[:FROM]-(t:Triple)
MATCH (t)-[:SUBJECT]->(s)
MATCH (t)-[:OBJECT]->(o)
WHERE s <> o
RETURN t.id AS id, p.id AS passage, elementId(s) AS head, elementId(o) AS tail
