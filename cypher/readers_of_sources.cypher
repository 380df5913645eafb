// name: readers_of_sources(sources, collection)
// access: read
// columns: source, readers
// The readers of the given sources in a collection, as one passage of each has them; no row for one that names none.
UNWIND $sources AS source
CALL (source) {
  MATCH (p:Passage {source: source})
  USING INDEX SEEK p:Passage(source)
  WHERE coalesce(p.collection, 'default') = $collection
  RETURN p.readers AS readers
  LIMIT 1
}
WITH source, readers
WHERE readers IS NOT NULL
RETURN source, readers
