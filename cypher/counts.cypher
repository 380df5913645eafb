// name: counts()
// access: read
// columns: passages, triples, entities, synonyms
// The numbers of passages, triples, entities and synonym edges in the database, from the server's own counters.
RETURN COUNT { MATCH (:Passage) } AS passages, COUNT { MATCH (:Triple) } AS triples,
  COUNT { MATCH (:Entity) } AS entities, COUNT { MATCH (:Entity)-[:SYNONYM]->() } AS synonyms
