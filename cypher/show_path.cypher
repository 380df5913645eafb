// name: show_path(ids)
// access: read
// Paths as a picture: of each triple its entities, or the user's own nodes and the relationship that it stands for, and
// the passage, or the user's own node, that states it.
MATCH (t:Triple)
WHERE t.id IN $ids
MATCH overlay = (subject)<-[:SUBJECT]-(t)-[:OBJECT]->(object)
MATCH statement = (t)-[:FROM]->(passage)
RETURN coalesce(
    head([own = (subject)-[r]->(object) WHERE elementId(r) = t.relationship | own]), overlay
  ) AS shown, coalesce(head([(passage)-[:DESCRIBES]->(node) | node]), statement) AS stated
