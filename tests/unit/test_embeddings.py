"""The default embedding model: short and long texts are encoded apart, and come back in their order."""

import numpy as np

from gear_neo4j import SentenceTransformerEmbedder


def test_a_text_has_the_same_vector_whatever_stands_beside_it():
    """To the precision of the model on this processor; texts of 40 and of 41 characters among them."""
    texts = [
        "Ada",
        "a long text " * 20,
        "x" * 40,
        "y" * 41,
        "Ada",
        "",
        "Warsaw on the Vistula, where she was born once",
    ]
    embedder = SentenceTransformerEmbedder(dtype="float32")

    together = embedder.embed(texts)

    assert (len(texts), embedder.dimension) == together.shape
    assert np.allclose(1, np.linalg.norm(together, axis=1), atol=1e-3)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-3)
