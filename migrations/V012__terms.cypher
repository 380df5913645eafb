// The names and the values of an adopted graph, by which a question is linked to it without reading the whole graph.
CREATE CONSTRAINT gear_term_id IF NOT EXISTS FOR (n:__GearTerm) REQUIRE n.id IS UNIQUE;
CREATE INDEX gear_term_key IF NOT EXISTS FOR (n:__GearTerm) ON (n.key);
CREATE INDEX gear_term_property IF NOT EXISTS FOR (n:__GearTerm) ON (n.owner, n.property);
// For values of which a question says a part.
CREATE TEXT INDEX gear_term_text IF NOT EXISTS FOR (n:__GearTerm) ON (n.key);
// For names and values with a typo.
CREATE FULLTEXT INDEX gear_term_words IF NOT EXISTS FOR (n:__GearTerm) ON EACH [n.key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
// Names of entities without their accents and underscores, where they have any.
CREATE INDEX gear_entity_plain IF NOT EXISTS FOR (n:Entity) ON (n.plain);
