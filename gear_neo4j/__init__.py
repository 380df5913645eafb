"""Multi-hop retrieval for RAG, native on Neo4j: GeAR's diverse triple beam search as batched Cypher."""

import lazy_loader

from gear_neo4j.provided import provide

# The names are those of __init__.pyi; a name's module is imported when the name is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# Modules that a lower floor asks for and must not name.
provide(
    retrievers="gear_neo4j.gear.retrievers",
    agents="gear_neo4j.gear.agents",
    extractors="gear_neo4j.gear.extractors",
    notebook="gear_neo4j.explain.notebook",
)
