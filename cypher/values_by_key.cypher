// name: values_by_key(keys)
// access: read
// columns: kind, owner, property, value
// scope: graph
// The values of text properties whose keys are among the given ones, each with its property and what owns that: kind is
// label or type, owner its name.
MATCH (term:__GearTerm)
USING INDEX SEEK term:__GearTerm(key)
WHERE term.key IN $keys AND term.owner IS NOT NULL
RETURN DISTINCT term.kind AS kind, term.owner AS owner, term.property AS property, term.text AS value
ORDER BY kind, owner, property, value
