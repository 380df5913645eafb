// name: hubs(labels, names, hub, limit)
// access: read
// columns: hubs, busiest
// timeout: 120
// hubs is the number of nodes with any of the labels and more than $hub triples; busiest lists the $limit of highest
// degree as [name, degree].
MATCH (e:$any($labels))
WITH e,
  // include: degree(e)
  AS degree
WHERE degree > $hub
WITH e, degree
ORDER BY degree DESC, elementId(e)
WITH count(*) AS hubs, collect([e, degree])[..$limit] AS busiest
RETURN hubs, [one IN busiest | [head([key IN $names WHERE one[0][key] IS NOT NULL | toStringOrNull(one[0][key])]), one[1]]]
  AS busiest
