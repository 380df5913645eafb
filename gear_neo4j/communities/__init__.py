"""Communities of entities (GraphRAG, Edge et al. 2024): detection, storage and reports."""
