// name: named_nodes(keys, most)
// access: read
// columns: id, labels, names, degree
// scope: filtered
// The nodes that have one of the given keys as a name: id (element id), labels, the names with such a key, and degree
// (the number of triples). Of a name that more than $most nodes of the adopted graph have, any $most of them. Entities
// have one name, and are looked up by their keys; nodes labelled Entity that are the user's are not.
CALL () {
  UNWIND $keys AS key
  CALL (key) {
    MATCH (term:__GearTerm {key: key})-[:NAME_OF]->(e)
    USING INDEX SEEK term:__GearTerm(key)
    /*+ WHERE EXISTS { (e)<-[:SUBJECT|OBJECT]-(about:Triple) WHERE IN_SCOPE_TRIPLE(about) }
      OR EXISTS { (e)<-[:DESCRIBES]-(card:Passage) WHERE IN_SCOPE_PASSAGE(card) } */
    RETURN e, term.text AS name
    LIMIT $most
  }
  RETURN e, name
  UNION
  MATCH (s:__GearStore {id: 'store'})
  WITH coalesce(properties(s).foreignEntities, false) AS foreign
  WHERE NOT foreign
  MATCH (e:Entity)
  WHERE (e.key IN $keys OR e.plain IN $keys) /*+ AND IN_SCOPE_ENTITY(e) */
  RETURN e, coalesce(/*+ SPELLING(e), */ e.name) AS name
}
WITH e, collect(DISTINCT name) AS names
RETURN elementId(e) AS id, labels(e) AS labels, names,
  // include: degree(e)
  AS degree
ORDER BY id
