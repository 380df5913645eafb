// name: stored_documents(sources, collection)
// access: read
// columns: source
// The given documents that have passages in a collection.
UNWIND $sources AS source
WITH source
WHERE EXISTS {
  MATCH (p:Passage {source: source})
  USING INDEX SEEK p:Passage(source)
  WHERE coalesce(p.collection, 'default') = $collection
}
RETURN source
