// fragment: different_texts()
// The different texts among the values held, at most $most; each text of a list counts, those longer than $longest do not.
WHERE held IS NOT NULL
UNWIND CASE WHEN held IS :: LIST<ANY> NOT NULL THEN held ELSE [held] END AS value
WITH owner, property, value
WHERE CASE WHEN value IS :: STRING NOT NULL THEN size(value) <= $longest ELSE false END
RETURN DISTINCT owner, property, value
LIMIT $most
