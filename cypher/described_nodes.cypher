// name: described_nodes(ids)
// access: read
// The nodes that the passages of the given ids stand for: the passage's id, the node's element id, its labels.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids
MATCH (p)-[:DESCRIBES]->(n)
RETURN p.id AS passage, elementId(n) AS id, labels(n) AS labels
