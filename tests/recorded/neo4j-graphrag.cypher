// What SimpleKGPipeline of neo4j-graphrag 1.22.0 leaves, after it has resolved its entities.
CREATE INDEX __entity__tmp_internal_id IF NOT EXISTS FOR (n:__KGBuilder__) ON (n.__tmp_internal_id);
CREATE (d:__KGBuilder__:Document {
  path: 'physicists.txt', createdAt: '2026-11-21T17:40:31+00:00', document_type: 'inline_text'
})
WITH d
UNWIND [
  {at: 0, text: 'Marie Curie was born in Warsaw in 1867 and left for Paris, where she studied at the Sorbonne.'},
  {at: 1, text: 'Gabriel Lippmann taught at the Sorbonne; in 1908 he received the Nobel Prize in Physics.'},
  {at: 2, text: 'Lippmann was born in Bonnevoie, a village that is now a quarter of Luxembourg City.'},
  {at: 3, text: 'Curie isolated radium in a shed of ESPCI, the school of industrial physics where she worked.'}
] AS chunk
CREATE (c:__KGBuilder__:Chunk {text: chunk.text, index: chunk.at})-[:FROM_DOCUMENT]->(d)
WITH c
CALL db.create.setNodeVectorProperty(c, 'embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
MATCH (a:Chunk), (b:Chunk {index: a.index + 1})
CREATE (a)-[:NEXT_CHUNK]->(b);
UNWIND [
  ['Marie Curie', 'Person'], ['Warsaw', 'Place'], ['Sorbonne', 'University'], ['Gabriel Lippmann', 'Person'],
  ['Nobel Prize in Physics', 'Award'], ['Bonnevoie', 'Place'], ['Luxembourg City', 'Place'], ['Radium', 'Element'],
  ['ESPCI', 'University']
] AS row
CREATE (e:__KGBuilder__:__Entity__ {name: row[0]})
SET e:$(row[1]);
UNWIND [
  [0, 'Marie Curie'], [0, 'Warsaw'], [0, 'Sorbonne'], [1, 'Gabriel Lippmann'], [1, 'Sorbonne'],
  [1, 'Nobel Prize in Physics'], [2, 'Gabriel Lippmann'], [2, 'Bonnevoie'], [2, 'Luxembourg City'],
  [3, 'Marie Curie'], [3, 'Radium'], [3, 'ESPCI']
] AS row
MATCH (c:Chunk {index: row[0]}), (e:__Entity__ {name: row[1]})
CREATE (e)-[:FROM_CHUNK]->(c);
UNWIND [
  ['Marie Curie', 'BORN_IN', 'Warsaw'], ['Marie Curie', 'STUDIED_AT', 'Sorbonne'],
  ['Gabriel Lippmann', 'TAUGHT_AT', 'Sorbonne'], ['Gabriel Lippmann', 'RECEIVED', 'Nobel Prize in Physics'],
  ['Gabriel Lippmann', 'BORN_IN', 'Bonnevoie'], ['Bonnevoie', 'PART_OF', 'Luxembourg City'],
  ['Marie Curie', 'ISOLATED', 'Radium'], ['Marie Curie', 'WORKED_AT', 'ESPCI']
] AS row
MATCH (a:__Entity__ {name: row[0]}), (b:__Entity__ {name: row[2]})
CREATE (a)-[:$(row[1])]->(b);
