// name: preview_collection(collection)
// access: read
// columns: passages, triples
// How many passages a collection has, and how many triples they state.
MATCH (p:Passage {collection: $collection})
USING INDEX SEEK p:Passage(collection)
RETURN count(p) AS passages, sum(COUNT { (p)<-[:FROM]-() }) AS triples
