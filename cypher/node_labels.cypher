// name: node_labels(ids)
// access: read
// columns: id, labels
// The labels of the nodes with the given element ids.
UNWIND $ids AS id
MATCH (n)
WHERE elementId(n) = id
RETURN id, labels(n) AS labels
