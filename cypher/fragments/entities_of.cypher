// fragment: entities_of(triples)
// The entities that triples mention, as entities. A triple over the user's own data is linked to the user's nodes, which
// may have the label Entity.
CALL (triples) {
  UNWIND triples AS t
  WITH t
  WHERE t.relationship IS NULL AND t.property IS NULL
  MATCH (t)-[:SUBJECT|OBJECT]->(e:Entity)
  RETURN collect(DISTINCT e) AS entities
}
