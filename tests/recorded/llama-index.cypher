// What a PropertyGraphIndex over Neo4jPropertyGraphStore leaves: llama-index-graph-stores-neo4j 0.8.0, core 0.14.25.
CREATE CONSTRAINT IF NOT EXISTS FOR (n:__Node__) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT IF NOT EXISTS FOR (n:__Entity__) REQUIRE n.id IS UNIQUE;
CREATE VECTOR INDEX entity IF NOT EXISTS FOR (m:__Entity__) ON m.embedding;
// The document of the chunks, a node without a text.
CREATE (d:__Node__:Chunk {id: 'doc-1'})
WITH d
UNWIND [
  {at: 0, text: 'Marie Curie was born in Warsaw in 1867 and left for Paris, where she studied at the Sorbonne.'},
  {at: 1, text: 'Gabriel Lippmann taught at the Sorbonne; in 1908 he received the Nobel Prize in Physics.'},
  {at: 2, text: 'Lippmann was born in Bonnevoie, a village that is now a quarter of Luxembourg City.'},
  {at: 3, text: 'Curie isolated radium in a shed of ESPCI, the school of industrial physics where she worked.'}
] AS row
CREATE (c:__Node__:Chunk {
  id: 'chunk-' + row.at, text: row.text, file_name: 'physicists.txt', doc_id: 'doc-1', document_id: 'doc-1',
  ref_doc_id: 'doc-1', _node_type: 'TextNode', _node_content: '{"id_": "chunk-' + row.at + '", "text": ""}'
})
CREATE (c)-[:SOURCE {file_name: 'physicists.txt', triplet_source_id: c.id}]->(d)
WITH c
CALL db.create.setNodeVectorProperty(c, 'embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
UNWIND range(1, 3) AS at
MATCH (a:Chunk {id: 'chunk-' + (at - 1)}), (b:Chunk {id: 'chunk-' + at})
CREATE (a)-[:NEXT {file_name: 'physicists.txt', triplet_source_id: a.id}]->(b)
CREATE (b)-[:PREVIOUS {file_name: 'physicists.txt', triplet_source_id: b.id}]->(a);
UNWIND [
  ['Marie Curie', 'Person'], ['Warsaw', 'Place'], ['Sorbonne', 'University'], ['Gabriel Lippmann', 'Person'],
  ['Nobel Prize in Physics', 'Award'], ['Bonnevoie', 'Place'], ['Luxembourg City', 'Place'], ['Radium', 'Element'],
  ['ESPCI', 'University']
] AS row
CREATE (e:__Node__:__Entity__ {
  id: row[0], name: row[0], file_name: 'physicists.txt', triplet_source_id: 'chunk-0'
})
SET e:$(row[1])
WITH e
CALL db.create.setNodeVectorProperty(e, 'embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
UNWIND [
  [0, 'Marie Curie'], [0, 'Warsaw'], [0, 'Sorbonne'], [1, 'Gabriel Lippmann'], [1, 'Sorbonne'],
  [1, 'Nobel Prize in Physics'], [2, 'Gabriel Lippmann'], [2, 'Bonnevoie'], [2, 'Luxembourg City'],
  [3, 'Marie Curie'], [3, 'Radium'], [3, 'ESPCI']
] AS row
MATCH (c:Chunk {id: 'chunk-' + row[0]}), (e:__Entity__ {id: row[1]})
SET e.triplet_source_id = c.id
CREATE (c)-[:MENTIONS]->(e);
UNWIND [
  ['Marie Curie', 'BORN_IN', 'Warsaw', 0], ['Marie Curie', 'STUDIED_AT', 'Sorbonne', 0],
  ['Gabriel Lippmann', 'TAUGHT_AT', 'Sorbonne', 1], ['Gabriel Lippmann', 'RECEIVED', 'Nobel Prize in Physics', 1],
  ['Gabriel Lippmann', 'BORN_IN', 'Bonnevoie', 2], ['Bonnevoie', 'PART_OF', 'Luxembourg City', 2],
  ['Marie Curie', 'ISOLATED', 'Radium', 3], ['Marie Curie', 'WORKED_AT', 'ESPCI', 3]
] AS row
MATCH (a:__Entity__ {id: row[0]}), (b:__Entity__ {id: row[2]})
CREATE (a)-[:$(row[1]) {file_name: 'physicists.txt', triplet_source_id: 'chunk-' + row[3]}]->(b);
