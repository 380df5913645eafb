// name: show_path(ids)
// access: read
// columns: shown, stated
// The triples of paths as a graph for Neo4j Browser, a row for each. shown is the triple with its entities, or the
// user's relationship or node that it represents; stated is its passage, or the node that the passage represents.
MATCH (t:Triple)
WHERE t.id IN $ids
MATCH overlay = (subject)<-[:SUBJECT]-(t)-[:OBJECT]->(object)
MATCH statement = (t)-[:FROM]->(passage)
RETURN CASE WHEN t.property IS NOT NULL THEN subject ELSE coalesce(
    head([own = (subject)-[r]->(object) WHERE elementId(r) = t.relationship | own]), overlay
  ) END AS shown, coalesce(head([(passage)-[:DESCRIBES]->(node) | node]), statement) AS stated
