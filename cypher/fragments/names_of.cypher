// fragment: names_of(e)
// The names of a node, as a list: for our own entities, at which no triple represents data of the user's graph, the
// name; for any other node, the values of the properties in $names, those of "a + b" joined. There may be entities
// beside an adopted graph.
CASE
  WHEN e:Entity AND e.key IS NOT NULL AND COLLECT {
    MATCH (e)<-[:SUBJECT|OBJECT]-(told:Triple)
    RETURN told.relationship IS NULL AND told.property IS NULL
    LIMIT 1
  }[0]
  THEN [coalesce(/*+ SPELLING(e), */ e.name)]
  ELSE [key IN $names WHERE any(part IN split(key, ' + ') WHERE e[part] IS NOT NULL) | CASE
    WHEN key CONTAINS ' + ' THEN left(reduce(name = '', part IN split(key, ' + ') |
      trim(name + ' ' + coalesce(toStringOrNull(e[part]), ''))), 500)
    WHEN e[key] IS :: STRING NOT NULL THEN left(e[key], 500)
    WHEN e[key] IS :: LIST<ANY> NOT NULL THEN [part IN e[key][..10] | left(toStringOrNull(part), 500)]
    ELSE toStringOrNull(e[key])
  END]
END
