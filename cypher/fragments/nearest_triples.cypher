// fragment: nearest_triples(t, wanted, most)
// The triples whose vectors are nearest to the wanted one, as t: from an index, nearest first, or all candidates
// without an index.
// form: plain
CALL db.index.vector.queryNodes('gear_triple_embedding', most, wanted) YIELD node AS t
/*+ WITH * WHERE IN_SCOPE_TRIPLE(t) */
// form: search_clause
MATCH (t:Triple)
SEARCH t IN (VECTOR INDEX gear_triple_embedding FOR wanted /*+ IN_COLLECTION(t) */ LIMIT most)
/*+ WITH * WHERE IN_SCOPE_TRIPLE(t) */
// form: small_scope
MATCH (source:Passage)
/*+ USING INDEX SEEK source:Passage(id) WHERE source.id IN $scope.ids AND IN_SCOPE_PASSAGE(source) */
MATCH (source)<-[:FROM]-(t:Triple)
/*+ WHERE STATED_IN_SCOPE(t) */
