// name: some_adopted(limit)
// access: read
// columns: triples, passages
// The ids of up to $limit triples that represent relationships or properties, and of up to $limit passages that
// represent nodes. The caller deletes them before the next batch, so no order is needed.
RETURN COLLECT {
    MATCH (t:Triple)
    WHERE t.relationship IS NOT NULL OR t.property IS NOT NULL
    RETURN t.id LIMIT $limit
  } AS triples,
  COLLECT { MATCH (p:Passage) WHERE p.node IS NOT NULL RETURN p.id LIMIT $limit } AS passages
