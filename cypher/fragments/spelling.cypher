// fragment: spelling(e)
// The name of an entity as write_triples would choose it from the triples of the scope, and its key; the entity's own
// name may be a spelling from a passage outside the scope.
COLLECT {
  MATCH (e)<-[scopeEnd:SUBJECT|OBJECT]-(scopeTriple:Triple)
  WITH scopeEnd, scopeTriple
  LIMIT $scope.most
  WITH scopeEnd, scopeTriple
  WHERE IN_SCOPE_TRIPLE(scopeTriple)
  WITH CASE type(scopeEnd) WHEN 'SUBJECT' THEN scopeTriple.subject ELSE scopeTriple.object END AS scopeName
  RETURN scopeName
  ORDER BY scopeName = toUpper(scopeName), scopeName
  LIMIT 1
}[0], e.key
