// name: preview_collection(collection)
// access: read
// columns: passages, triples
// The numbers of passages and of triples in a collection.
MATCH (p:Passage {collection: $collection})
USING INDEX SEEK p:Passage(collection)
RETURN count(p) AS passages, sum(COUNT { (p)<-[:FROM]-() }) AS triples
