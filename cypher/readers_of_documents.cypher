// name: readers_of_documents(sources, collection)
// access: read
// columns: source, readers, known, lags
// For each of the given sources in a collection: the recorded readers (an empty list without a record), whether there
// is a record, and whether a passage of the document has other readers. Passages of documents have a position.
UNWIND $sources AS source
OPTIONAL MATCH (r:__GearReaders {id: $collection + '/' + source})
USING INDEX SEEK r:__GearReaders(id)
WITH source, r IS NOT NULL AS known, coalesce(r.readers, []) AS readers
RETURN source, readers, known, EXISTS {
  MATCH (p:Passage {source: source})
  USING INDEX SEEK p:Passage(source)
  WHERE coalesce(p.collection, 'default') = $collection AND p.position IS NOT NULL
    AND coalesce(p.readers, []) <> readers
} AS lags
