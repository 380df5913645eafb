"""Stand-ins for the embedding model, in their own module because Ray's processes import it."""

import hashlib
from functools import lru_cache

import numpy as np


class FakeEmbedder:
    """A stand-in for the embedding model: a fixed vector per text; texts that share words are close."""

    name = "fake"
    # That of the packaged model: a database that changes between the two keeps its indexes, and Neo4j its plans.
    dimension = 384

    def embed(self, texts):
        """One row per text: the normalised sum of a fixed random vector per word."""
        rows = np.array([self._row(text) for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def _row(self, text):
        words = text.lower().split() or [""]
        return np.sum([_vector(word, self.dimension) for word in words], axis=0)


@lru_cache(maxsize=10_000)
def _vector(word, dimension):
    seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dimension)


class CountingEmbedder(FakeEmbedder):
    """Records the texts that it embeds."""

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        """Like the fake one, and records the texts."""
        self.texts.extend(texts)
        return super().embed(texts)
