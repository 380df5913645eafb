// fragment: fulfils(p)
// Whether a passage fulfils the filter of a scope: of each clause, one term. A term compares the passage's property under
// key, a value or a list; [] + that is a list of both kinds. Comparisons that a term does not make, and those of values
// that cannot be compared, give null.
all(scopeClause IN $scope.where WHERE any(scopeTerm IN scopeClause WHERE scopeTerm.negated <> coalesce(
  any(scopeItem IN coalesce([] + p[scopeTerm.key], []) WHERE scopeTerm.present OR scopeItem IN scopeTerm.values
    OR scopeItem > scopeTerm.gt OR scopeItem >= scopeTerm.gte OR scopeItem < scopeTerm.lt OR scopeItem <= scopeTerm.lte),
  false)))
