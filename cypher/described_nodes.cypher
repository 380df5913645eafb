// name: described_nodes(ids)
// access: read
// columns: passage, id, labels
// The nodes that the given passages represent: passage (its id), id (the node's element id), labels.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $ids
MATCH (p)-[:DESCRIBES]->(n)
RETURN p.id AS passage, elementId(n) AS id, labels(n) AS labels
