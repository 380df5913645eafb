// name: count_entities()
// access: read
// columns: entities
// scope: filtered
// timeout: 30
// The number of entities, from the server's own counter; under a scope, only of those that its triples mention.
MATCH /*+ (p:Passage)<-[:FROM]-(t:Triple)-[:SUBJECT|OBJECT]-> */ (e:Entity)
/*+ WHERE IN_SCOPE_PASSAGE(p) AND STATED_IN_SCOPE(t) WITH DISTINCT e */
RETURN count(e) AS entities
