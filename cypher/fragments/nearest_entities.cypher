// fragment: nearest_entities(e, wanted, most)
// The entities whose vectors are nearest to the wanted one, as e: from an index, nearest first, or all candidates
// without an index. No index filters them by collection.
// form: plain
CALL db.index.vector.queryNodes('gear_entity_embedding', most, wanted) YIELD node AS e
/*+ WITH * WHERE IN_SCOPE_ENTITY(e) */
// form: search_clause
MATCH (e:Entity)
SEARCH e IN (VECTOR INDEX gear_entity_embedding FOR wanted LIMIT most)
/*+ WITH * WHERE IN_SCOPE_ENTITY(e) */
// form: small_scope
MATCH (source:Passage)
/*+ USING INDEX SEEK source:Passage(id) WHERE source.id IN $scope.ids AND IN_SCOPE_PASSAGE(source) */
MATCH (source)<-[:FROM]-(stated:Triple)-[:SUBJECT|OBJECT]->(e:Entity)
WHERE e.embedding IS NOT NULL /*+ AND STATED_IN_SCOPE(stated) */
WITH DISTINCT e, wanted
