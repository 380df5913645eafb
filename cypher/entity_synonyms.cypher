// name: entity_synonyms(id, limit)
// access: read
// columns: id, name, score
// scope: filtered
// timeout: 10
// The $limit entities that are nearest to one (its element id) by their synonym edges, best first. score is the cosine.
MATCH (e)
WHERE elementId(e) = $id /*+ AND IN_SCOPE_ENTITY(e) */
MATCH (e)-[s:SYNONYM]-(o:Entity)
WHERE
  // include: is_synonym(s)
  AND EXISTS { (o)<-[:SUBJECT|OBJECT]-(:Triple) } /*+ AND IN_SCOPE_ENTITY(o) */
WITH o, max(s.score) AS score
RETURN elementId(o) AS id, coalesce(/*+ SPELLING(o), */ o.name, '') AS name, score
ORDER BY score DESC, name, id
LIMIT $limit
