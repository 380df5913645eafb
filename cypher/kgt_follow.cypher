// name: kgt_follow(chains, limit)
// access: read
// columns: id, ways, triples
// timeout: 10
// The templates for one hop, several hops and an intersection. A chain leads from nodes (element ids in
// $chains[..].heads) along one to three relationships, each with a type and the label of the node it leads to. With a
// second chain, only nodes at the end of both count. Labels, types and ids are parameters.
// A row for each node at the end, in descending order of ways: id (element id), ways (the number of ways to it), and
// triples, those of the relationships on one way as [id, subject, predicate, object, passage].
CALL () {
  UNWIND $chains[0].heads AS id
  MATCH (h)
  WHERE elementId(h) = id
  CALL (h) {
    WITH h
    WHERE size($chains[0].types) = 1
    MATCH (h)-[r:$($chains[0].types[0])]-(t:$($chains[0].labels[0]))
    RETURN t, [r] AS way
    UNION ALL
    WITH h
    WHERE size($chains[0].types) = 2
    MATCH (h)-[r:$($chains[0].types[0])]-(:$($chains[0].labels[0]))-[s:$($chains[0].types[1])]-
      (t:$($chains[0].labels[1]))
    RETURN t, [r, s] AS way
    UNION ALL
    WITH h
    WHERE size($chains[0].types) = 3
    MATCH (h)-[r:$($chains[0].types[0])]-(:$($chains[0].labels[0]))-[s:$($chains[0].types[1])]-
      (:$($chains[0].labels[1]))-[u:$($chains[0].types[2])]-(t:$($chains[0].labels[2]))
    RETURN t, [r, s, u] AS way
  }
  WITH h, t, way
  WHERE t <> h
  RETURN t, way
}
CALL (t) {
  WITH t
  WHERE size($chains) = 1
  RETURN [] AS other
  UNION ALL
  WITH t
  WHERE size($chains) = 2
  CALL (t) {
    WITH t
    WHERE size($chains[1].types) = 1
    MATCH (t)-[r:$($chains[1].types[0])]-(h)
    WHERE elementId(h) IN $chains[1].heads
    RETURN [r] AS other
    UNION ALL
    WITH t
    WHERE size($chains[1].types) = 2
    MATCH (t)-[s:$($chains[1].types[1])]-(:$($chains[1].labels[0]))-[r:$($chains[1].types[0])]-(h)
    WHERE elementId(h) IN $chains[1].heads
    RETURN [r, s] AS other
    UNION ALL
    WITH t
    WHERE size($chains[1].types) = 3
    MATCH (t)-[u:$($chains[1].types[2])]-(:$($chains[1].labels[1]))-[s:$($chains[1].types[1])]-
      (:$($chains[1].labels[0]))-[r:$($chains[1].types[0])]-(h)
    WHERE elementId(h) IN $chains[1].heads
    RETURN [r, s, u] AS other
  }
  RETURN other
  LIMIT 1
}
WITH t, head(collect(way + other)) AS way, count(*) AS ways
ORDER BY ways DESC, elementId(t)
LIMIT $limit
CALL (way) {
  UNWIND range(0, size(way) - 1) AS number
  WITH number, way[number] AS r
  WITH number, elementId(r) AS relationship, startNode(r) AS a, endNode(r) AS b
  MATCH (a)<-[:SUBJECT]-(t:Triple)-[:OBJECT]->(b)
  WHERE t.relationship = relationship
  MATCH (t)-[:FROM]->(p)
  WITH t, p
  ORDER BY number
  RETURN collect([t.id, t.subject, t.predicate, t.object, p.id]) AS triples
}
RETURN elementId(t) AS id, ways, triples
ORDER BY ways DESC, id
