"""Models that run outside Neo4j: the embedding model and the language model."""
