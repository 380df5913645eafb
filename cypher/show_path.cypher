// name: show_path(ids)
// access: read
// Paths as a picture: of each triple its entities, or the user's own nodes and the relationship that it stands for, and
// the passage, or the user's own node, that states it.
MATCH (t:Triple)
WHERE t.id IN $ids
MATCH (subject)<-[:SUBJECT]-(t)-[:OBJECT]->(object)
OPTIONAL MATCH own = (subject)-[r]->(object)
WHERE elementId(r) = t.relationship
MATCH overlay = (subject)<-[:SUBJECT]-(t)-[:OBJECT]->(object)
MATCH (t)-[from:FROM]->(passage)
OPTIONAL MATCH (passage)-[:DESCRIBES]->(node)
RETURN coalesce(own, overlay) AS shown, coalesce(node, passage) AS stated
