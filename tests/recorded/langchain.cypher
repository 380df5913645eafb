// What Neo4jGraph.add_graph_documents(include_source=True, baseEntityLabel=True) of langchain-neo4j 0.11.0 leaves.
CREATE CONSTRAINT IF NOT EXISTS FOR (b:__Entity__) REQUIRE b.id IS UNIQUE;
UNWIND [
  {at: 0, text: 'Marie Curie was born in Warsaw in 1867 and left for Paris, where she studied at the Sorbonne.'},
  {at: 1, text: 'Gabriel Lippmann taught at the Sorbonne; in 1908 he received the Nobel Prize in Physics.'},
  {at: 2, text: 'Lippmann was born in Bonnevoie, a village that is now a quarter of Luxembourg City.'},
  {at: 3, text: 'Curie isolated radium in a shed of ESPCI, the school of industrial physics where she worked.'}
] AS row
CREATE (:Document {id: 'md5-of-' + row.at, text: row.text, source: 'physicists.txt'});
UNWIND [
  ['Marie Curie', 'Person'], ['Warsaw', 'Place'], ['Sorbonne', 'University'], ['Gabriel Lippmann', 'Person'],
  ['Nobel Prize in Physics', 'Award'], ['Bonnevoie', 'Place'], ['Luxembourg City', 'Place'], ['Radium', 'Element'],
  ['ESPCI', 'University']
] AS row
CREATE (e:__Entity__ {id: row[0]})
SET e:$(row[1]);
UNWIND [
  [0, 'Marie Curie'], [0, 'Warsaw'], [0, 'Sorbonne'], [1, 'Gabriel Lippmann'], [1, 'Sorbonne'],
  [1, 'Nobel Prize in Physics'], [2, 'Gabriel Lippmann'], [2, 'Bonnevoie'], [2, 'Luxembourg City'],
  [3, 'Marie Curie'], [3, 'Radium'], [3, 'ESPCI']
] AS row
MATCH (d:Document {id: 'md5-of-' + row[0]}), (e:__Entity__ {id: row[1]})
CREATE (d)-[:MENTIONS]->(e);
UNWIND [
  ['Marie Curie', 'BORN_IN', 'Warsaw'], ['Marie Curie', 'STUDIED_AT', 'Sorbonne'],
  ['Gabriel Lippmann', 'TAUGHT_AT', 'Sorbonne'], ['Gabriel Lippmann', 'RECEIVED', 'Nobel Prize in Physics'],
  ['Gabriel Lippmann', 'BORN_IN', 'Bonnevoie'], ['Bonnevoie', 'PART_OF', 'Luxembourg City'],
  ['Marie Curie', 'ISOLATED', 'Radium'], ['Marie Curie', 'WORKED_AT', 'ESPCI']
] AS row
MATCH (a:__Entity__ {id: row[0]}), (b:__Entity__ {id: row[2]})
CREATE (a)-[:$(row[1])]->(b);
