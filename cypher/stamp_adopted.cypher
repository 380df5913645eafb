// name: stamp_adopted(after, collection, property, readers, limit)
// access: write
// columns: last, stamped
// Puts the next $limit passages of the overlay after $after, in order of id, and their triples into a collection, and
// sets who may read them. A node's $property has its readers, one or a list; $readers are those of a node without it,
// null for everybody. A list without names means nobody, stored as [''], because no principal has a blank name. A
// triple over the graph is about both its ends, so only readers of its passage and of both ends may read it. last is
// the id of the last passage, stamped how many passages and triples changed; there is no row at the end. If a reader or
// a collection loses anything, reports of communities are hidden until the next build.
// include: exclusive_lock()
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id > $after AND p.node IS NOT NULL
WITH p
ORDER BY p.id
LIMIT $limit
MATCH (p)-[:DESCRIBES]->(n)
WITH p, CASE WHEN n[$property] IS NULL THEN $readers
  ELSE [name IN [] + n[$property] WHERE toStringOrNull(name) IS NOT NULL | toString(name)] END AS named
WITH p, CASE named WHEN [] THEN [''] ELSE named END AS allowed
WITH p, allowed, p.collection AS was,
  coalesce(p.collection, '') <> $collection OR coalesce(p.readers, []) <> coalesce(allowed, []) AS differs,
  allowed IS NOT NULL
    AND (p.readers IS NULL OR any(name IN p.readers WHERE name <> '' AND NOT name IN allowed)) AS narrowed
FOREACH (changed IN CASE WHEN differs THEN [p] ELSE [] END |
  SET changed.collection = $collection, changed.readers = allowed)
WITH p, allowed, was, differs, narrowed
CALL (p, allowed) {
  MATCH (p)<-[:FROM]-(t:Triple)
  OPTIONAL MATCH (t)-[:SUBJECT|OBJECT]->(end)
  // Triples that an extractor made from a text are only about its passage.
  WHERE t.relationship IS NOT NULL OR t.property IS NOT NULL
  WITH t, allowed, CASE WHEN end[$property] IS NULL THEN CASE WHEN end IS NOT NULL THEN $readers END
    ELSE [name IN [] + end[$property] WHERE toStringOrNull(name) IS NOT NULL | toString(name)] END AS named
  // Everybody is null, which collect leaves out.
  WITH t, allowed, collect(named) AS lists
  WITH t, reduce(common = allowed, list IN lists |
    CASE WHEN common IS NULL THEN list ELSE [name IN common WHERE name IN list] END) AS common
  WITH t, CASE common WHEN [] THEN [''] ELSE common END AS common
  WHERE coalesce(t.collection, '') <> $collection OR coalesce(t.readers, []) <> coalesce(common, [])
  WITH t, common,
    common IS NOT NULL
      AND (t.readers IS NULL OR any(name IN t.readers WHERE name <> '' AND NOT name IN common)) AS lost
  SET t.collection = $collection, t.readers = common
  RETURN count(t) AS triples, count(CASE WHEN lost THEN 1 END) AS lost
}
WITH max(p.id) AS last, sum(CASE WHEN differs THEN 1 ELSE 0 END) + sum(triples) AS stamped,
  collect(DISTINCT CASE WHEN narrowed OR lost > 0 OR was <> $collection THEN was END) AS collections
WHERE last IS NOT NULL
CALL (collections) {
  UNWIND collections AS name
  MATCH (b:__GearStore {id: 'communities/' + name})
  USING INDEX SEEK b:__GearStore(id)
  SET b.restricted = randomUUID(), b.moved = CASE WHEN name <> $collection THEN randomUUID() ELSE b.moved END
}
// include: graph_changed(stamped)
RETURN last, stamped
