"""Communities of entities that triples tie together (GraphRAG, Edge et al. 2024): found, stored, reported on."""
