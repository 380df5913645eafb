// name: built_communities(collection)
// access: read
// columns: id, level, size, weight, above, members, readers, moved, restricted
// Streams the communities of a collection as built last, without their reports. above is the id of the parent
// community; members lists the element ids of its direct members. readers lists the sets of readers, moved and
// restricted are the marks of begin_communities at that build; they are null if it was interrupted.
MATCH (c:__GearCommunity)
USING INDEX SEEK c:__GearCommunity(collection)
WHERE c.collection = $collection
RETURN c.id AS id, c.level AS level, c.size AS size, c.weight AS weight,
  [(above:__GearCommunity)-[:PARENT_OF]->(c) | above.id][0] AS above,
  [(e)-[:IN_COMMUNITY]->(c) | elementId(e)] AS members,
  c.readerSets AS readers, c.moved AS moved, c.restricted AS restricted
