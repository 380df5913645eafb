// name: node_labels(ids)
// access: read
// The labels of the nodes of the given element ids: id, labels.
UNWIND $ids AS id
MATCH (n)
WHERE elementId(n) = id
RETURN id, labels(n) AS labels
