// name: passages_of_documents(sources)
// access: read
// columns: source, id
// The ids of the passages of each of the given sources.
UNWIND $sources AS source
MATCH (p:Passage {source: source})
USING INDEX SEEK p:Passage(source)
RETURN source, p.id AS id
