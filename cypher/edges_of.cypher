// name: edges_of(passages, entities, hub)
// access: read
// columns: passages, entities
// scope: filtered
// timeout: 10
// The edges that PageRank follows from some passages (ids) and entities (element ids), in one row. passages lists [id,
// degree, ends]: the number of its triples, and the entities at their ends, with repetitions.
// entities lists [id, degree, stating, others, synonyms]: the number of triples, the passage of each triple, the entity
// at its other end, and [entity, score] of each synonym edge. With more than $hub triples, ends, stating and others are
// empty, to limit the work. Under a scope, the number of the entity's relationships follows, including hidden ones,
// because all are examined.
CALL () {
  UNWIND $passages AS id
  MATCH (p:Passage {id: id})
  /*+ WHERE IN_SCOPE_PASSAGE(p) */
  WITH p, id, COUNT { (p)<-[:FROM]-(stated) /*+ WHERE STATED_IN_SCOPE(stated) */ } AS degree
  CALL (p, degree) {
    WITH p
    WHERE degree <= $hub
    MATCH (p)<-[:FROM]-(t)-[:SUBJECT|OBJECT]->(e)
    /*+ WHERE STATED_IN_SCOPE(t) */
    RETURN collect(elementId(e)) AS ends
  }
  RETURN collect([id, degree, ends]) AS passages
}
CALL () {
  UNWIND $entities AS id
  MATCH (e)
  WHERE elementId(e) = id
  WITH e, id,
    // include: degree_up_to_hub(e)
    AS atMost
  CALL (e, atMost) {
    WITH e
    WHERE atMost <= $hub
    MATCH (e)<-[:SUBJECT|OBJECT]-(t:Triple)-[:SUBJECT|OBJECT]->(o)
    /*+ WHERE IN_SCOPE_TRIPLE(t) */
    MATCH (t)-[:FROM]->(p)
    RETURN collect(p.id) AS stating, collect(elementId(o)) AS others
  }
  WITH e, id, stating, others, CASE
    WHEN atMost <= $hub THEN size(stating)
    ELSE
      // include: degree(e)
  END AS degree
  CALL (e) {
    MATCH (e)-[s:SYNONYM]-(o)
    WHERE
      // include: is_synonym(s)
      AND EXISTS { (o)<-[:SUBJECT|OBJECT]-(:Triple) } /*+ AND IN_SCOPE_ENTITY(o) */
    RETURN collect([elementId(o), s.score]) AS synonyms
  }
  RETURN collect([id, degree, stating, others, synonyms /*+ , COUNT { (e)--() } */]) AS entities
}
RETURN passages, entities
