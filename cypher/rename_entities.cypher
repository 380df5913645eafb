// name: rename_entities(rows)
// access: write
// columns: renamed
// Gives entities other keys: all triples of row.from become those of the entity with the key row.to, which is created if
// there is none. Synonyms of an entity that is merged are computed anew. renamed is how many were renamed.
// include: shared_lock()
UNWIND $rows AS row
MATCH (old:Entity {key: row.from})
USING INDEX SEEK old:Entity(key)
MERGE (new:Entity {key: row.to})
ON CREATE SET new.name = old.name
SET new.synonymsLinked = null
WITH old, new,
  // include: is_better_spelling(old.name, new.name)
  AS better
SET new.name = CASE WHEN better THEN old.name ELSE new.name END
WITH old, new
CALL (old, new) {
  MATCH (t:Triple)-[before:SUBJECT]->(old)
  CREATE (t)-[:SUBJECT]->(new)
  DELETE before
}
CALL (old, new) {
  MATCH (t:Triple)-[before:OBJECT]->(old)
  CREATE (t)-[:OBJECT]->(new)
  DELETE before
}
CALL (old, new) {
  MATCH (old)-[before:IN_COMMUNITY]->(c)
  WHERE NOT EXISTS { (new)-[:IN_COMMUNITY]->(c) }
  CREATE (new)-[:IN_COMMUNITY]->(c)
}
CALL (old, new) {
  WITH old, new
  WHERE old.embedding IS NOT NULL AND new.embedding IS NULL
  CALL db.create.setNodeVectorProperty(new, 'embedding', old.embedding)
}
DETACH DELETE old
WITH count(*) AS renamed
// include: graph_written()
RETURN renamed
