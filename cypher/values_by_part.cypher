// name: values_by_part(part, operator)
// access: read
// columns: kind, owner, property
// scope: graph
// The text properties with a value that contains, starts or ends with a part ($operator), both folded: kind is label or
// type, owner its name.
CALL () {
  MATCH (term:__GearTerm)
  WHERE $operator = 'contains' AND term.key CONTAINS $part
  RETURN term
  UNION
  MATCH (term:__GearTerm)
  WHERE $operator = 'starts' AND term.key STARTS WITH $part
  RETURN term
  UNION
  MATCH (term:__GearTerm)
  WHERE $operator = 'ends' AND term.key ENDS WITH $part
  RETURN term
}
WITH term
WHERE term.owner IS NOT NULL
RETURN DISTINCT term.kind AS kind, term.owner AS owner, term.property AS property
ORDER BY kind, owner, property
