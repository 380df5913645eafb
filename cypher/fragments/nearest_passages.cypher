// fragment: nearest_passages(p, wanted, most)
// The passages whose vectors are nearest to the wanted one, as p: from an index, nearest first, or all candidates
// without an index.
// form: plain
CALL db.index.vector.queryNodes('gear_passage_embedding', most, wanted) YIELD node AS p
/*+ WITH * WHERE IN_SCOPE_PASSAGE(p) */
// form: search_clause
MATCH (p:Passage)
SEARCH p IN (VECTOR INDEX gear_passage_embedding FOR wanted /*+ IN_COLLECTION(p) */ LIMIT most)
/*+ WITH * WHERE IN_SCOPE_PASSAGE(p) */
// form: small_scope
MATCH (p:Passage)
/*+ USING INDEX SEEK p:Passage(id) WHERE p.id IN $scope.ids AND IN_SCOPE_PASSAGE(p) */
