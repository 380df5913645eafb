// name: community_members(names, most)
// access: read
// Of each community, the $most nodes right in it that most triples speak of, best first: the community, and of each node
// the values of the given properties that are there (of an entity of ours its name), its labels, and that number.
MATCH (c:__GearCommunity)
CALL (c) {
  MATCH (e)-[:IN_COMMUNITY]->(c)
  WITH e, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree
  ORDER BY degree DESC, elementId(e)
  LIMIT $most
  RETURN collect([CASE
    WHEN size($names) = 0 THEN [e.name]
    ELSE [key IN $names WHERE toStringOrNull(e[key]) IS NOT NULL | left(toStringOrNull(e[key]), 200)]
  END, labels(e), degree]) AS members
}
RETURN c.id AS id, members
