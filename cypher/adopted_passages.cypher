// name: adopted_passages(labels)
// access: read
// columns: id, there
// Streams the passages that represent nodes: id, and there (whether the node still exists with any of the labels).
MATCH (p:Passage)
WHERE p.node IS NOT NULL
RETURN p.id AS id, EXISTS { MATCH (p)-[:DESCRIBES]->(:$any($labels)) } AS there
