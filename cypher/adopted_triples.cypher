// name: adopted_triples(names, properties, labels, types, sources, keys, mentions, chunks, texts)
// access: read
// columns: triple, stated, id, type, properties, chunk, start, startLabels, startNames, end, endLabels, endNames
// Streams the triples that stand for relationships: triple (its id), stated (whether it still has a passage), and the
// current relationship in the columns of adoptable_relationships. id is null if the relationship was deleted or its
// type or labels are no longer among the given ones.
MATCH (t:Triple)
WHERE t.relationship IS NOT NULL
OPTIONAL MATCH (t)-[:SUBJECT]->(a:$any($labels))-[r:$any($types)]->(b:$any($labels))<-[:OBJECT]-(t)
WHERE elementId(r) = t.relationship
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
RETURN t.id AS triple, EXISTS { (t)-[:FROM]->(:Passage) } AS stated, elementId(r) AS id, type(r) AS type,
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
