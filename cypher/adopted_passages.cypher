// name: adopted_passages(labels)
// access: read
// Every passage that stands for a node, streamed: its id, and whether its node is there, with one of the labels.
MATCH (p:Passage)
WHERE p.node IS NOT NULL
RETURN p.id AS id, EXISTS { MATCH (p)-[:DESCRIBES]->(:$any($labels)) } AS there
