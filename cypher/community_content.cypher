// name: community_content(id, most)
// access: read
// columns: id, subject, predicate, object, head, headLabels, headIn, tail, tailLabels, tailIn
// The triples within a community and its descendants, in order of id, at most $most. head and tail are the element ids
// of the two ends, with headLabels and tailLabels; headIn and tailIn are the ids of the lowest communities that contain
// them.
MATCH (c:__GearCommunity {id: $id})
MATCH (c)-[:PARENT_OF*0..25]->(below)<-[:IN_COMMUNITY]-(s)
MATCH (s)<-[:SUBJECT]-(t:Triple)
MATCH (t)-[:OBJECT]->(o)-[:IN_COMMUNITY]->(other:__GearCommunity)
WHERE other = below OR EXISTS { (c)-[:PARENT_OF*0..25]->(other) }
WITH t, s, o, below, other
LIMIT $most
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object,
  elementId(s) AS head, labels(s) AS headLabels, below.id AS headIn,
  elementId(o) AS tail, labels(o) AS tailLabels, other.id AS tailIn
ORDER BY id
