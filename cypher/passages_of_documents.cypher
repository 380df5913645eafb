// name: passages_of_documents(sources)
// access: read
// The passages of each source: source and id.
UNWIND $sources AS source
MATCH (p:Passage {source: source})
USING INDEX SEEK p:Passage(source)
RETURN source, p.id AS id
