// name: delete_triples(ids)
// access: write
// Triples that stand for relationships go; the nodes that they point at stay.
CALL () {
  MATCH (s:__GearStore {id: 'store'})
  USING INDEX SEEK s:__GearStore(id)
  // From here on a projection of the graph is stale.
  SET s.changed = randomUUID()
}
MATCH (t:Triple)
USING INDEX SEEK t:Triple(id)
WHERE t.id IN $ids AND t.relationship IS NOT NULL
DETACH DELETE t
RETURN count(*) AS triples
