// What the LLM Knowledge Graph Builder 0.8.7 leaves, with all that it can do afterwards: similar chunks, communities.
CREATE CONSTRAINT IF NOT EXISTS FOR (b:__Entity__) REQUIRE b.id IS UNIQUE;
CREATE CONSTRAINT IF NOT EXISTS FOR (c:__Community__) REQUIRE c.id IS UNIQUE;
CREATE FULLTEXT INDEX entities FOR (n:__Entity__) ON EACH [n.id, n.description];
CREATE FULLTEXT INDEX keyword FOR (n:Chunk) ON EACH [n.text];
CREATE FULLTEXT INDEX community_keyword FOR (n:__Community__) ON EACH [n.summary];
CREATE VECTOR INDEX vector IF NOT EXISTS FOR (n:Chunk) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX entity_vector IF NOT EXISTS FOR (n:__Entity__) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX community_vector IF NOT EXISTS FOR (n:__Community__) ON (n.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'cosine'}};
CREATE (d:Document {
  fileName: 'physicists.txt', fileSize: 420, fileType: 'text', fileSource: 'local file', status: 'Completed',
  model: 'openai_gpt_5.4', createdAt: localdatetime('2026-07-22T00:00:00'),
  updatedAt: localdatetime('2026-07-22T00:00:00'), processingTime: 0, errorMessage: '', is_cancelled: false,
  nodeCount: 0, relationshipCount: 0, total_chunks: 0, processed_chunk: 0, chunkNodeCount: 0, chunkRelCount: 0,
  entityNodeCount: 0, entityEntityRelCount: 0, communityNodeCount: 0, communityRelCount: 0
})
WITH d
UNWIND [
  {at: 0, text: 'Marie Curie was born in Warsaw in 1867 and left for Paris, where she studied at the Sorbonne.'},
  {at: 1, text: 'Gabriel Lippmann taught at the Sorbonne; in 1908 he received the Nobel Prize in Physics.'},
  {at: 2, text: 'Lippmann was born in Bonnevoie, a village that is now a quarter of Luxembourg City.'},
  {at: 3, text: 'Curie isolated radium in a shed of ESPCI, the school of industrial physics where she worked.'}
] AS chunk
CREATE (c:Chunk {
  id: 'sha1-of-' + chunk.at, text: chunk.text, position: chunk.at + 1, length: size(chunk.text),
  fileName: 'physicists.txt', content_offset: chunk.at * 100
})-[:PART_OF]->(d)
FOREACH (_ IN CASE WHEN chunk.at = 0 THEN [1] END | CREATE (d)-[:FIRST_CHUNK]->(c))
WITH c
CALL db.create.setNodeVectorProperty(c, 'embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
MATCH (a:Chunk), (b:Chunk {position: a.position + 1})
CREATE (a)-[:NEXT_CHUNK]->(b);
MATCH (a:Chunk {position: 1}), (b:Chunk {position: 2})
CREATE (a)-[:SIMILAR {score: 0.95}]->(b);
UNWIND [
  ['Marie Curie', 'Person'], ['Warsaw', 'Place'], ['Sorbonne', 'University'], ['Gabriel Lippmann', 'Person'],
  ['Nobel Prize in Physics', 'Award'], ['Bonnevoie', 'Place'], ['Luxembourg City', 'Place'], ['Radium', 'Element'],
  ['ESPCI', 'University']
] AS row
CREATE (e:__Entity__ {
  id: row[0], description: row[0] + ' is a ' + toLower(row[1]) + ' in the history of physics.',
  communities: [CASE WHEN row[0] IN ['Marie Curie', 'Gabriel Lippmann', 'Sorbonne'] THEN 1 ELSE 2 END, 7]
})
SET e:$(row[1])
WITH e
CALL db.create.setNodeVectorProperty(e, 'embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
UNWIND [
  [0, 'Marie Curie'], [0, 'Warsaw'], [0, 'Sorbonne'], [1, 'Gabriel Lippmann'], [1, 'Sorbonne'],
  [1, 'Nobel Prize in Physics'], [2, 'Gabriel Lippmann'], [2, 'Bonnevoie'], [2, 'Luxembourg City'],
  [3, 'Marie Curie'], [3, 'Radium'], [3, 'ESPCI']
] AS row
MATCH (c:Chunk {position: row[0] + 1}), (e:__Entity__ {id: row[1]})
CREATE (c)-[:HAS_ENTITY]->(e);
UNWIND [
  ['Marie Curie', 'BORN_IN', 'Warsaw'], ['Marie Curie', 'STUDIED_AT', 'Sorbonne'],
  ['Gabriel Lippmann', 'TAUGHT_AT', 'Sorbonne'], ['Gabriel Lippmann', 'RECEIVED', 'Nobel Prize in Physics'],
  ['Gabriel Lippmann', 'BORN_IN', 'Bonnevoie'], ['Bonnevoie', 'PART_OF', 'Luxembourg City'],
  ['Marie Curie', 'ISOLATED', 'Radium'], ['Marie Curie', 'WORKED_AT', 'ESPCI']
] AS row
MATCH (a:__Entity__ {id: row[0]}), (b:__Entity__ {id: row[2]})
CREATE (a)-[:$(row[1]) {description: row[0] + ' ' + row[1] + ' ' + row[2]}]->(b);
UNWIND [
  {id: '0-1', level: 0, title: 'Physicists of the Sorbonne', summary: 'Curie and Lippmann shared a university.'},
  {id: '0-2', level: 0, title: 'Places and prizes', summary: 'Towns, a prize and an element.'},
  {id: '1-7', level: 1, title: 'Physics around 1900', summary: 'Discoveries at the turn of the century.'}
] AS row
CREATE (c:__Community__ {
  id: row.id, level: row.level, title: row.title, summary: row.summary, community_rank: 1, weight: 3
})
WITH c
CALL db.create.setNodeVectorProperty(c, 'embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
MATCH (e:__Entity__)
MATCH (c:__Community__ {id: '0-' + e.communities[0]})
CREATE (e)-[:IN_COMMUNITY]->(c);
MATCH (a:__Community__ {level: 0}), (b:__Community__ {level: 1})
CREATE (a)-[:PARENT_COMMUNITY]->(b);
