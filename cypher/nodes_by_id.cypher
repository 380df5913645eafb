// name: nodes_by_id(ids, names, texts, longest, few)
// access: read
// columns: id, labels, names, texts, others
// The nodes with the given element ids, in the columns of adoptable_nodes.
UNWIND $ids AS id
MATCH (n)
WHERE elementId(n) = id
RETURN elementId(n) AS id, labels(n) AS labels,
  // include: property_texts(n, $names, 10, 500)
  AS names,
  // include: property_texts(n, $texts, 10, $longest)
  AS texts,
  [key IN keys(n) WHERE NOT key IN $names AND NOT key IN $texts AND toStringOrNull(n[key]) IS NOT NULL
    | [key, left(toStringOrNull(n[key]), 200)]][..$few] AS others
