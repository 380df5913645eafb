// name: adopted_names(names)
// access: read
// columns: id, names
// Streams the nodes of the adopted graph that have a triple or a passage: id (element id), and names, the values of the
// properties in $names.
MATCH (e)
WHERE EXISTS { (e)<-[:DESCRIBES]-(:Passage) }
  OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(about:Triple) WHERE about.relationship IS NOT NULL OR about.property IS NOT NULL }
RETURN elementId(e) AS id,
  // include: names_of(e)
  AS names
