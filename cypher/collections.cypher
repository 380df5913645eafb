// name: collections()
// access: read
// columns: name, passages, triples, restricted
// timeout: 120
// The collections in order of their names: how many passages and triples each has, and how many of the passages name
// readers. The query visits every passage.
MATCH (p:Passage)
WITH p.collection AS name, COUNT { (p)<-[:FROM]-() } AS stated, p.readers IS NOT NULL AS named
RETURN coalesce(name, 'default') AS name, count(*) AS passages, sum(stated) AS triples,
  count(CASE WHEN named THEN 1 END) AS restricted
ORDER BY name
