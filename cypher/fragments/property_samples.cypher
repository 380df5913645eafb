// fragment: property_samples(n)
// The properties of a node or a relationship, each as [property, kind of value, length, beginning of the text].
[key IN keys(n) | [key, CASE
  WHEN n[key] IS :: STRING NOT NULL THEN 'text'
  WHEN n[key] IS :: LIST<STRING NOT NULL> NOT NULL THEN 'texts'
  WHEN n[key] IS :: LIST<ANY> NOT NULL THEN 'list'
  WHEN n[key] IS :: INTEGER NOT NULL OR n[key] IS :: FLOAT NOT NULL THEN 'number'
  WHEN n[key] IS :: BOOLEAN NOT NULL THEN 'flag'
  WHEN n[key] IS :: DATE NOT NULL OR n[key] IS :: LOCAL DATETIME NOT NULL OR n[key] IS :: ZONED DATETIME NOT NULL
    THEN 'date'
  WHEN n[key] IS :: LOCAL TIME NOT NULL OR n[key] IS :: ZONED TIME NOT NULL THEN 'time'
  ELSE 'value'
END, CASE
  WHEN n[key] IS :: STRING NOT NULL OR n[key] IS :: LIST<ANY> NOT NULL THEN size(n[key]) ELSE 1
END, CASE
  WHEN n[key] IS :: STRING NOT NULL THEN left(n[key], $longest)
  WHEN n[key] IS :: LIST<STRING NOT NULL> NOT NULL AND size(n[key]) > 0 THEN left(n[key][0], $longest)
  ELSE left(coalesce(toStringOrNull(n[key]), ''), $longest)
END]]
