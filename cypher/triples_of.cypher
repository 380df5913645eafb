// name: triples_of(passages)
// access: read
// columns: id, subject, predicate, object, passage
// All triples that the passages with the given ids state.
MATCH (p:Passage)
USING INDEX SEEK p:Passage(id)
WHERE p.id IN $passages
MATCH (p)<-[:FROM]-(t:Triple)
RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage
