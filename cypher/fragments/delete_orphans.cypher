// fragment: delete_orphans(entities)
// Deletes those of some entities that no triple mentions any more; their number is orphans.
CALL (entities) {
  UNWIND entities AS e
  WITH e
  WHERE NOT EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Triple) }
  DETACH DELETE e
  RETURN count(*) AS orphans
}
