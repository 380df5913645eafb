// name: show_path(ids)
// access: read
// A path as a picture: its triples with their entities and the passages that state them.
MATCH (t:Triple)
WHERE t.id IN $ids
MATCH shown = (subject)<-[:SUBJECT]-(t)-[:OBJECT]->(object)
MATCH stated = (t)-[:FROM]->(passage)
RETURN shown, stated
