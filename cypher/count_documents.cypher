// name: count_documents(prefixes, collection)
// access: read
// columns: prefix, documents, passages
// The numbers of documents and passages of a collection for each prefix of the documents' names.
UNWIND $prefixes AS prefix
CALL (prefix) {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(source)
  WHERE p.source STARTS WITH prefix AND coalesce(p.collection, 'default') = $collection
  RETURN count(DISTINCT p.source) AS documents, count(*) AS passages
}
RETURN prefix, documents, passages
