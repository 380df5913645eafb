// name: stated_triples(passage, limit)
// access: read
// columns: id, subject, predicate, object, passage
// scope: filtered
// At most $limit triples of a passage (its id), in order of their three parts.
MATCH (p:Passage {id: $passage})
USING INDEX SEEK p:Passage(id)
/*+ WHERE IN_SCOPE_PASSAGE(p) */
MATCH (p)<-[:FROM]-(t:Triple)
/*+ WHERE STATED_IN_SCOPE(t) */
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage
ORDER BY subject, predicate, object, id
LIMIT $limit
