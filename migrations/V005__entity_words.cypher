// A name that a question writes with one letter too many, too few or wrong is looked up by its words. Names such as "The
// Who" consist of words that other analysers leave out.
CREATE FULLTEXT INDEX gear_entity_words IF NOT EXISTS FOR (n:Entity) ON EACH [n.key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
