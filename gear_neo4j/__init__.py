"""Multi-hop retrieval for RAG, native on Neo4j: GeAR's diverse triple beam search as batched Cypher."""

import lazy_loader

# The names are those of __init__.pyi; a name's module is imported when the name is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
