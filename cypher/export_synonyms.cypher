// name: export_synonyms()
// access: read
// columns: one, other, score
// scope: filtered
// Every synonym edge: one and other (the element ids of its ends), and score.
MATCH (a)-[s:SYNONYM]->(b)
WHERE
  // include: is_synonym(s)
  /*+ AND IN_SCOPE_ENTITY(a) AND IN_SCOPE_ENTITY(b) */
RETURN elementId(a) AS one, elementId(b) AS other, s.score AS score
