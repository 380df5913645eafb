// name: adoptable_relationships(types, labels, names, properties, sources, keys, mentions, chunks, texts)
// access: read
// columns: id, type, properties, chunk, start, startLabels, startNames, end, endLabels, endNames
// Streams the relationships of the given types between nodes with any of the labels: id (element id), type, and
// properties ([property, value] pairs of $properties). start, startLabels and startNames describe the start node by
// element id, labels and naming properties; end, endLabels and endNames the end node.
// chunk is the element id of a chunk that mentions either end, or null. A chunk whose value under one of $keys matches
// a value of the relationship under one of $sources comes first, then a chunk that mentions both ends, then a chunk
// that mentions the start; ties are broken by element id.
MATCH (a:$any($labels))-[r:$any($types)]->(b:$any($labels))
CALL (a, r, b) {
  WITH a, b, reduce(named = [], name IN $sources | named + coalesce(r[name], [])) AS named
  WHERE size($mentions) > 0
  // Each end separately: for a condition on either end, the planner scans all nodes for each relationship.
  UNWIND [{node: a, weight: 2}, {node: b, weight: 1}] AS end
  WITH end.node AS n, end.weight AS weight, named
  MATCH (n)-[:$any($mentions)]-(c:$any($chunks))
  WHERE any(key IN $texts WHERE trim(coalesce(toStringOrNull(c[key]), '')) <> '')
  WITH c, coalesce(any(key IN $keys WHERE c[key] IN named), false) AS states, sum(DISTINCT weight) AS closeness
  ORDER BY states DESC, closeness DESC, elementId(c)
  LIMIT 1
  RETURN collect(elementId(c)) AS chunk
}
RETURN elementId(r) AS id, type(r) AS type,
  [key IN $properties WHERE r[key] IS NOT NULL | [key, CASE
    WHEN r[key] IS :: LIST<ANY> NOT NULL
      THEN substring(reduce(text = '', part IN r[key][..10] | text + ', ' + coalesce(toStringOrNull(part), '')), 2, 500)
    ELSE coalesce(left(toStringOrNull(r[key]), 500), '')
  END]] AS properties,
  chunk[0] AS chunk, elementId(a) AS start, labels(a) AS startLabels,
  [key IN $names WHERE a[key] IS NOT NULL | [key, CASE
    WHEN a[key] IS :: STRING NOT NULL THEN left(a[key], 500)
    WHEN a[key] IS :: LIST<ANY> NOT NULL THEN [part IN a[key][..1] | left(toStringOrNull(part), 500)]
    ELSE toStringOrNull(a[key])
  END]] AS startNames,
  elementId(b) AS end, labels(b) AS endLabels,
  [key IN $names WHERE b[key] IS NOT NULL | [key, CASE
    WHEN b[key] IS :: STRING NOT NULL THEN left(b[key], 500)
    WHEN b[key] IS :: LIST<ANY> NOT NULL THEN [part IN b[key][..1] | left(toStringOrNull(part), 500)]
    ELSE toStringOrNull(b[key])
  END]] AS endNames
