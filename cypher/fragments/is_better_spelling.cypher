// fragment: is_better_spelling(spelling, name)
// Whether a spelling replaces the name of an entity: the first in order does, but one in capitals only if all are, so
// that the order of an ingest does not matter. The same as spelling_rank in the package.
CASE
  WHEN (spelling = toUpper(spelling)) <> (name = toUpper(name)) THEN name = toUpper(name)
  ELSE spelling < name
END
