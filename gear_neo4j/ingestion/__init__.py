"""Documents to graph: reading files, embedding, and writing passages, triples, entities and synonym edges."""
