// fragment: different_texts()
// At most $most distinct texts among the values held, including each text of a list, but not texts longer than
// $longest.
WHERE held IS NOT NULL
UNWIND CASE WHEN held IS :: LIST<ANY> NOT NULL THEN held ELSE [held] END AS value
WITH owner, property, value
WHERE CASE WHEN value IS :: STRING NOT NULL THEN size(value) <= $longest ELSE false END
RETURN DISTINCT owner, property, value
LIMIT $most
