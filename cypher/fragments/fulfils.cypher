// fragment: fulfils(p)
// Whether a passage fulfils the filter of a scope: one term of each clause. A term compares the passage's property
// under key, a value or a list; [] + the property is a list in both cases. Comparisons that a term does not make, and
// those of incomparable values, give null.
all(scopeClause IN $scope.where WHERE any(scopeTerm IN scopeClause WHERE scopeTerm.negated <> coalesce(
  any(scopeItem IN coalesce([] + p[scopeTerm.key], []) WHERE scopeTerm.present OR scopeItem IN scopeTerm.values
    OR scopeItem > scopeTerm.gt OR scopeItem >= scopeTerm.gte OR scopeItem < scopeTerm.lt OR scopeItem <= scopeTerm.lte),
  false)))
