// name: survey_relationships(types, limit, longest)
// access: read
// columns: type, numbers, properties
// A sample of the relationships of the given types: type, numbers (the names of the integer properties), and properties
// as [property, kind of value, length, beginning of the text].
MATCH ()-[r:$any($types)]->()
WITH r
LIMIT $limit
RETURN type(r) AS type, [key IN keys(r) WHERE r[key] IS :: INTEGER NOT NULL | key] AS numbers,
  [key IN keys(r) | [key, CASE
    WHEN r[key] IS :: STRING NOT NULL THEN 'text'
    WHEN r[key] IS :: LIST<STRING NOT NULL> NOT NULL THEN 'texts'
    WHEN r[key] IS :: LIST<ANY> NOT NULL THEN 'list'
    WHEN r[key] IS :: INTEGER NOT NULL OR r[key] IS :: FLOAT NOT NULL THEN 'number'
    WHEN r[key] IS :: BOOLEAN NOT NULL THEN 'flag'
    WHEN r[key] IS :: DATE NOT NULL OR r[key] IS :: LOCAL DATETIME NOT NULL OR r[key] IS :: ZONED DATETIME NOT NULL
      THEN 'date'
    ELSE 'value'
  END, CASE
    WHEN r[key] IS :: STRING NOT NULL OR r[key] IS :: LIST<ANY> NOT NULL THEN size(r[key]) ELSE 1
  END, CASE
    WHEN r[key] IS :: STRING NOT NULL THEN left(r[key], $longest)
    WHEN r[key] IS :: LIST<STRING NOT NULL> NOT NULL AND size(r[key]) > 0 THEN left(r[key][0], $longest)
    ELSE left(coalesce(toStringOrNull(r[key]), ''), $longest)
  END]] AS properties
