// name: kgt_attribute(heads, attribute, names, limit)
// access: read
// columns: id, names, values
// timeout: 10
// The attribute template: for each of the given nodes (element ids), its id, its names, and values, a list of
// [property, value]. With an empty $attribute, values has every property with a single value or a list of texts.
UNWIND $heads AS id
MATCH (n)
WHERE elementId(n) = id
RETURN id,
  // include: names_of(n)
  AS names,
  [key IN keys(n) WHERE ($attribute = '' AND NOT key IN $names OR key = $attribute) AND
      (toStringOrNull(n[key]) IS NOT NULL OR n[key] IS :: LIST<STRING NOT NULL> NOT NULL)
    | [key, CASE WHEN n[key] IS :: LIST<STRING NOT NULL> NOT NULL
      THEN reduce(text = '', part IN n[key][..20] | text + CASE text WHEN '' THEN '' ELSE ', ' END + left(part, 200)) +
        CASE WHEN size(n[key]) > 20 THEN ', …' ELSE '' END
      ELSE left(toStringOrNull(n[key]), 2000) END]][..20] AS values
LIMIT $limit
