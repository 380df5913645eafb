// name: export_synonyms()
// access: read
// Every synonym edge: the element ids of its two ends, and its score.
MATCH (a)-[s:SYNONYM]->(b)
RETURN elementId(a) AS one, elementId(b) AS other, s.score AS score
