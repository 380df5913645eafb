// name: values_by_property(properties)
// access: read
// columns: kind, owner, property, value
// scope: graph
// All values of some text properties; each of $properties is a map of kind (label or type), owner and property.
UNWIND $properties AS of
MATCH (term:__GearTerm)
USING INDEX SEEK term:__GearTerm(owner, property)
WHERE term.owner = of.owner AND term.property = of.property AND term.kind = of.kind
RETURN DISTINCT term.kind AS kind, term.owner AS owner, term.property AS property, term.text AS value
ORDER BY kind, owner, property, value
