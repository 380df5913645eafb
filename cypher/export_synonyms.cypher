// name: export_synonyms()
// access: read
// columns: one, other, score
// Every synonym edge: one and other (the element ids of its ends), and score.
MATCH (a)-[s:SYNONYM]->(b)
RETURN elementId(a) AS one, elementId(b) AS other, s.score AS score
