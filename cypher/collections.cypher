// name: collections()
// access: read
// columns: name, passages, triples, restricted
// timeout: 120
// The collections in order of name: the numbers of passages, of triples, and of passages with readers. The query visits
// every passage.
MATCH (p:Passage)
WITH p.collection AS name, COUNT { (p)<-[:FROM]-() } AS stated, p.readers IS NOT NULL AS named
RETURN coalesce(name, 'default') AS name, count(*) AS passages, sum(stated) AS triples,
  count(CASE WHEN named THEN 1 END) AS restricted
ORDER BY name
