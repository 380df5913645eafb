// name: neighbours(ids, most, section)
// access: read
// columns: hit, distance, passage
// scope: filtered
// timeout: 10
// The passages around others in their documents, in order: hit is the index of an id, distance how many passages before
// it (negative) or after it another one is, at most $most; passage is [id, ...] as in a hit. With $section, only
// passages of the same section count, which has one title.
UNWIND range(0, size($ids) - 1) AS hit
MATCH (p:Passage {id: $ids[hit]})
USING INDEX SEEK p:Passage(id)
/*+ WHERE IN_SCOPE_PASSAGE(p) */
CALL (p) {
  MATCH way = (p)-[:NEXT_PASSAGE*1..10]->(near:Passage)
  RETURN way, near, length(way) AS distance
  UNION ALL
  MATCH way = (p)<-[:NEXT_PASSAGE*1..10]-(near:Passage)
  RETURN way, near, -length(way) AS distance
}
WITH hit, p, way, near, distance
WHERE abs(distance) <= $most AND (NOT $section OR all(one IN nodes(way) WHERE one.title = p.title))
  /*+ AND IN_SCOPE_PASSAGE(near) */
RETURN hit, distance, [near.id] +
  // include: whole_passage(near)
  AS passage
ORDER BY hit, distance
