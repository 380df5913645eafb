// fragment: chunk_of()
// The chunk of a relationship r between a and b, as chunk, a list of one element id or none. A chunk whose value under
// one of $keys matches a value of the relationship under one of $sources comes first, then one that mentions both ends,
// then one that mentions the start; ties are broken by element id.
CALL (a, r, b) {
  WITH a, b, reduce(named = [], name IN $sources | named + coalesce(r[name], [])) AS named
  WHERE size($mentions) > 0
  // Each end separately, because with a condition on either end, the planner scans all nodes for each relationship.
  UNWIND [{node: a, weight: 2}, {node: b, weight: 1}] AS end
  WITH end.node AS n, end.weight AS weight, named
  MATCH (n)-[:$any($mentions)]-(c:$any($chunks))
  WHERE any(key IN $texts WHERE trim(coalesce(toStringOrNull(c[key]), '')) <> '')
  WITH c, coalesce(any(key IN $keys WHERE c[key] IN named), false) AS states, sum(DISTINCT weight) AS closeness
  ORDER BY states DESC, closeness DESC, elementId(c)
  LIMIT 1
  RETURN collect(elementId(c)) AS chunk
}
