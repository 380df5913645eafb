// fragment: delete_orphans(entities)
// Deletes those among some entities that no triple mentions any more; orphans is their number.
CALL (entities) {
  UNWIND entities AS e
  WITH e
  WHERE NOT EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Triple) }
  DETACH DELETE e
  RETURN count(*) AS orphans
}
