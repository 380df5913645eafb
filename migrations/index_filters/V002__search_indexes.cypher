// As migrations/V002__search_indexes.cypher, on servers whose vector indexes filter: those of passages and triples hold
// the collection, too.
CREATE FULLTEXT INDEX gear_passage_text IF NOT EXISTS FOR (n:Passage) ON EACH [n.title, n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
CYPHER 25
CREATE VECTOR INDEX gear_passage_embedding IF NOT EXISTS FOR (n:Passage) ON n.embedding
WITH [n.collection]
OPTIONS {indexConfig: {`vector.dimensions`: ${dimension}, `vector.similarity_function`: 'cosine'}};
CYPHER 25
CREATE VECTOR INDEX gear_triple_embedding IF NOT EXISTS FOR (n:Triple) ON n.embedding
WITH [n.collection]
OPTIONS {indexConfig: {`vector.dimensions`: ${dimension}, `vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX gear_entity_embedding IF NOT EXISTS FOR (n:Entity) ON n.embedding
OPTIONS {indexConfig: {`vector.dimensions`: ${dimension}, `vector.similarity_function`: 'cosine'}};
