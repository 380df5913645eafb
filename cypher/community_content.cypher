// name: community_content(id, most)
// access: read
// The triples of a community, those below it included: id, subject, predicate, object, the element ids of both ends with
// their labels, and the lowest community that each end is in. At most $most of those that are met, in order of id.
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
