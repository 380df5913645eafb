// name: passages_of_documents(sources, collection)
// access: read
// columns: source, id
// The ids of the passages of each of the given sources in a collection.
UNWIND $sources AS source
MATCH (p:Passage {source: source})
USING INDEX SEEK p:Passage(source)
WHERE coalesce(p.collection, 'default') = $collection
RETURN source, p.id AS id
