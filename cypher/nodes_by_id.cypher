// name: nodes_by_id(ids, names, texts, longest, few)
// access: read
// columns: id, labels, names, texts, others
// The nodes with the given element ids, in the columns of adoptable_nodes.
UNWIND $ids AS id
MATCH (n)
WHERE elementId(n) = id
RETURN elementId(n) AS id, labels(n) AS labels,
  [key IN $names WHERE n[key] IS NOT NULL | [key, CASE
    WHEN n[key] IS :: STRING NOT NULL THEN left(n[key], 500)
    WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..10] | left(toStringOrNull(part), 500)]
    ELSE toStringOrNull(n[key])
  END]] AS names,
  [key IN $texts WHERE n[key] IS NOT NULL | [key, CASE
    WHEN n[key] IS :: STRING NOT NULL THEN left(n[key], $longest)
    WHEN n[key] IS :: LIST<ANY> NOT NULL THEN [part IN n[key][..10] | left(toStringOrNull(part), $longest)]
    ELSE toStringOrNull(n[key])
  END]] AS texts,
  [key IN keys(n) WHERE NOT key IN $names AND NOT key IN $texts AND toStringOrNull(n[key]) IS NOT NULL
    | [key, left(toStringOrNull(n[key]), 200)]][..$few] AS others
