// name: counts()
// access: read
// columns: passages, triples, entities, synonyms
// How many passages, triples, entities and synonym edges the database holds, from the server's own counters.
RETURN COUNT { MATCH (:Passage) } AS passages, COUNT { MATCH (:Triple) } AS triples,
  COUNT { MATCH (:Entity) } AS entities, COUNT { MATCH (:Entity)-[:SYNONYM]->() } AS synonyms
