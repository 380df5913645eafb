// name: counts()
// access: read
// columns: passages, triples, entities, synonyms
// How many passages, triples, entities and synonym edges the database holds, and how many passages lack their status.
RETURN COUNT { MATCH (:Passage) } AS passages, COUNT { MATCH (:Triple) } AS triples,
  COUNT { MATCH (:Entity) } AS entities, COUNT { MATCH ()-[:SYNONYM]->() } AS synonyms
