// name: community_members(names, most)
// access: read
// columns: id, members
// scope: filtered
// Streams every community (id) with members: its $most direct members of highest degree, each as [names, labels,
// degree]. names has the name of an entity, or the values of the properties in $names of a node of the adopted graph.
// The degree of a node is the number of its triples.
MATCH (c:__GearCommunity)
/*+ WHERE IN_SCOPE_COMMUNITY(c) */
CALL (c) {
  MATCH (e)-[:IN_COMMUNITY]->(c)
  /*+ WHERE IN_SCOPE_ENTITY(e) */
  WITH e,
    // include: degree(e)
    AS degree
  ORDER BY degree DESC, elementId(e)
  LIMIT $most
  RETURN collect([
    // include: names_of(e)
    , labels(e), degree]) AS members
}
RETURN c.id AS id, members
