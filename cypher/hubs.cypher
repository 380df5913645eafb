// name: hubs(labels, names, hub, limit)
// access: read
// timeout: 120
// How many nodes with one of the labels stand in more than $hub triples, and the $limit busiest of them: [name, degree].
MATCH (e:$any($labels))
WITH e, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree
WHERE degree > $hub
WITH e, degree
ORDER BY degree DESC, elementId(e)
WITH count(*) AS hubs, collect([e, degree])[..$limit] AS busiest
RETURN hubs, [one IN busiest | [head([key IN $names WHERE one[0][key] IS NOT NULL | toStringOrNull(one[0][key])]), one[1]]]
  AS busiest
