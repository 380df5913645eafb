// name: count_documents(prefixes, collection)
// access: read
// columns: prefix, documents, passages
// How many documents and passages of a collection have names that begin with each of the prefixes.
UNWIND $prefixes AS prefix
CALL (prefix) {
  MATCH (p:Passage)
  USING INDEX SEEK p:Passage(source)
  WHERE p.source STARTS WITH prefix AND coalesce(p.collection, 'default') = $collection
  RETURN count(DISTINCT p.source) AS documents, count(*) AS passages
}
RETURN prefix, documents, passages
