"""An embedding model for tests with large graphs, whose thousands of texts would take minutes to embed."""

import numpy as np

from gear_neo4j.models.embeddings import SentenceTransformerEmbedder

MANY = 250


class QuickEmbedder:
    """The real model for questions, names and chains of types; all texts of an adoption get the same vector.

    With a ``home`` in which the model has been checked, torch is not needed.
    """

    name = "quick"
    dimension = 384
    model = SentenceTransformerEmbedder()

    def __init__(self, home=None):
        if home:
            self.model = SentenceTransformerEmbedder(home=home)

    def embed(self, texts):
        """One row per text; real vectors for a few single lines."""
        if len(texts) < MANY and all("\n" not in text for text in texts):
            return self.model.embed(texts)
        rows = np.ones((len(texts), self.dimension), dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
