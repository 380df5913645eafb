// What graphiti-core 0.31.1 leaves: episodes, entities, facts, a community, a saga; of its indexes, some of each kind.
CREATE INDEX entity_uuid IF NOT EXISTS FOR (n:Entity) ON (n.uuid);
CREATE INDEX episode_uuid IF NOT EXISTS FOR (n:Episodic) ON (n.uuid);
CREATE INDEX name_entity_index IF NOT EXISTS FOR (n:Entity) ON (n.name);
CREATE INDEX mention_uuid IF NOT EXISTS FOR ()-[e:MENTIONS]-() ON (e.uuid);
CREATE INDEX name_edge_index IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.name);
CREATE FULLTEXT INDEX episode_content IF NOT EXISTS
FOR (e:Episodic) ON EACH [e.content, e.source, e.source_description, e.group_id];
CREATE FULLTEXT INDEX node_name_and_summary IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.summary, n.group_id];
CREATE FULLTEXT INDEX edge_name_and_fact IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON EACH [e.name, e.fact, e.group_id];
CREATE (s:Saga {uuid: randomUUID(), name: 'physicists', group_id: 'physics', summary: '', created_at: datetime()})
WITH s
UNWIND [
  {at: 0, text: 'Marie Curie was born in Warsaw in 1867 and left for Paris, where she studied at the Sorbonne.'},
  {at: 1, text: 'Gabriel Lippmann taught at the Sorbonne; in 1908 he received the Nobel Prize in Physics.'},
  {at: 2, text: 'Lippmann was born in Bonnevoie, a village that is now a quarter of Luxembourg City.'},
  {at: 3, text: 'Curie isolated radium in a shed of ESPCI, the school of industrial physics where she worked.'}
] AS row
CREATE (c:Episodic {
  uuid: 'episode-' + row.at, name: 'physicists ' + (row.at + 1), group_id: 'physics', source: 'text',
  source_description: 'notes', content: row.text, created_at: datetime(), valid_at: datetime(), entity_edges: ['fact']
})
CREATE (s)-[:HAS_EPISODE {uuid: randomUUID(), group_id: 'physics', created_at: datetime()}]->(c);
UNWIND range(1, 3) AS at
MATCH (a:Episodic {uuid: 'episode-' + (at - 1)}), (b:Episodic {uuid: 'episode-' + at})
CREATE (a)-[:NEXT_EPISODE {uuid: randomUUID(), group_id: 'physics', created_at: datetime()}]->(b);
UNWIND [
  ['Marie Curie', 'Person'], ['Warsaw', 'Place'], ['Sorbonne', 'University'], ['Gabriel Lippmann', 'Person'],
  ['Nobel Prize in Physics', 'Award'], ['Bonnevoie', 'Place'], ['Luxembourg City', 'Place'], ['Radium', 'Element'],
  ['ESPCI', 'University']
] AS row
CREATE (e:Entity {
  uuid: randomUUID(), name: row[0], group_id: 'physics', created_at: datetime(),
  summary: row[0] + ' is a ' + toLower(row[1]) + ' in the history of physics.'
})
SET e:$(row[1])
WITH e
CALL db.create.setNodeVectorProperty(e, 'name_embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
UNWIND [
  [0, 'Marie Curie'], [0, 'Warsaw'], [0, 'Sorbonne'], [1, 'Gabriel Lippmann'], [1, 'Sorbonne'],
  [1, 'Nobel Prize in Physics'], [2, 'Gabriel Lippmann'], [2, 'Bonnevoie'], [2, 'Luxembourg City'],
  [3, 'Marie Curie'], [3, 'Radium'], [3, 'ESPCI']
] AS row
MATCH (c:Episodic {uuid: 'episode-' + row[0]}), (e:Entity {name: row[1]})
CREATE (c)-[:MENTIONS {uuid: randomUUID(), group_id: 'physics', created_at: datetime()}]->(e);
UNWIND [
  ['Marie Curie', 'BORN_IN', 'Warsaw', 0], ['Marie Curie', 'STUDIED_AT', 'Sorbonne', 0],
  ['Gabriel Lippmann', 'TAUGHT_AT', 'Sorbonne', 1], ['Gabriel Lippmann', 'RECEIVED', 'Nobel Prize in Physics', 1],
  ['Gabriel Lippmann', 'BORN_IN', 'Bonnevoie', 2], ['Bonnevoie', 'PART_OF', 'Luxembourg City', 2],
  ['Marie Curie', 'ISOLATED', 'Radium', 3], ['Marie Curie', 'WORKED_AT', 'ESPCI', 3]
] AS row
MATCH (a:Entity {name: row[0]}), (b:Entity {name: row[2]})
CREATE (a)-[r:RELATES_TO {
  uuid: randomUUID(), name: row[1], fact: row[0] + ' ' + toLower(replace(row[1], '_', ' ')) + ' ' + row[2],
  group_id: 'physics', episodes: ['episode-' + row[3]], source_uuid: a.uuid, target_uuid: b.uuid,
  created_at: datetime(), valid_at: datetime()
}]->(b)
WITH r
CALL db.create.setRelationshipVectorProperty(r, 'fact_embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
CREATE (c:Community {
  uuid: randomUUID(), name: 'Physicists of the Sorbonne', group_id: 'physics', created_at: datetime(),
  summary: 'Curie and Lippmann, who shared a university.'
})
WITH c
CALL db.create.setNodeVectorProperty(c, 'name_embedding', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
MATCH (c:Community), (e:Entity)
WHERE e.name IN ['Marie Curie', 'Gabriel Lippmann', 'Sorbonne']
CREATE (c)-[:HAS_MEMBER {uuid: randomUUID(), group_id: 'physics', created_at: datetime()}]->(e);
