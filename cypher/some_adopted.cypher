// name: some_adopted(limit)
// access: read
// The ids of some triples that stand for relationships, and of some passages that stand for nodes; once these are
// deleted, of others, so that no order is needed.
RETURN COLLECT { MATCH (t:Triple) WHERE t.relationship IS NOT NULL RETURN t.id LIMIT $limit } AS triples,
  COLLECT { MATCH (p:Passage) WHERE p.node IS NOT NULL RETURN p.id LIMIT $limit } AS passages
