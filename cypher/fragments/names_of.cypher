// fragment: names_of(e)
// The values of the properties in $names that a node has, or the name of an entity where $names is empty, as a list.
CASE
  WHEN size($names) = 0 THEN [coalesce(/*+ SPELLING(e), */ e.name)]
  ELSE [key IN $names WHERE e[key] IS NOT NULL | CASE
    WHEN e[key] IS :: STRING NOT NULL THEN left(e[key], 500)
    WHEN e[key] IS :: LIST<ANY> NOT NULL THEN [part IN e[key][..10] | left(toStringOrNull(part), 500)]
    ELSE toStringOrNull(e[key])
  END]
END
