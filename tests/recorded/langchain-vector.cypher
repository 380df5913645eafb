// What Neo4jVector.from_texts(search_type='hybrid') of langchain-neo4j 0.11.0 leaves.
CREATE CONSTRAINT FOR (n:Chunk) REQUIRE n.id IS UNIQUE;
CREATE VECTOR INDEX vector IF NOT EXISTS FOR (m:Chunk) ON m.embedding
OPTIONS {indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'cosine'}};
CREATE FULLTEXT INDEX keyword FOR (n:Chunk) ON EACH [n.text];
UNWIND [
  {at: 0, text: 'Marie Curie was born in Warsaw in 1867 and left for Paris, where she studied at the Sorbonne.'},
  {at: 1, text: 'Gabriel Lippmann taught at the Sorbonne; in 1908 he received the Nobel Prize in Physics.'},
  {at: 2, text: 'Lippmann was born in Bonnevoie, a village that is now a quarter of Luxembourg City.'},
  {at: 3, text: 'Curie isolated radium in a shed of ESPCI, the school of industrial physics where she worked.'}
] AS row
CREATE (c:Chunk {id: 'md5-of-' + row.at, text: row.text, source: 'physicists.txt'})
WITH c
CALL db.create.setNodeVectorProperty(c, 'embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
