// name: hubs(labels, names, hub, limit)
// access: read
// columns: hubs, busiest
// timeout: 120
// hubs is the number of nodes with any of the labels and more than $hub triples; busiest lists the $limit nodes of
// highest degree as [names, degree], with names as in entity_names.
MATCH (e:$any($labels))
WITH e,
  // include: degree(e)
  AS degree
WHERE degree > $hub
WITH e, degree
ORDER BY degree DESC, elementId(e)
WITH count(*) AS hubs, collect([e, degree])[..$limit] AS busiest
CALL (busiest) {
  UNWIND busiest AS one
  WITH one[0] AS e, one[1] AS degree
  RETURN collect([
      // include: names_of(e)
      , degree]) AS called
}
RETURN hubs, called AS busiest
