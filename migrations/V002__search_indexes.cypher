// The dimension is that of the embedding model; without it a query of another size would find nothing and say nothing.
CREATE FULLTEXT INDEX gear_passage_text IF NOT EXISTS FOR (n:Passage) ON EACH [n.title, n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
CREATE VECTOR INDEX gear_passage_embedding IF NOT EXISTS FOR (n:Passage) ON n.embedding
OPTIONS {indexConfig: {`vector.dimensions`: ${dimension}, `vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX gear_triple_embedding IF NOT EXISTS FOR (n:Triple) ON n.embedding
OPTIONS {indexConfig: {`vector.dimensions`: ${dimension}, `vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX gear_entity_embedding IF NOT EXISTS FOR (n:Entity) ON n.embedding
OPTIONS {indexConfig: {`vector.dimensions`: ${dimension}, `vector.similarity_function`: 'cosine'}};
