"""Stand-ins for the embedding model; alone in their module, because processes of Ray import what they need of it."""

import hashlib

import numpy as np


class FakeEmbedder:
    """A stand-in for the embedding model: a fixed vector a text; texts that share words are near each other."""

    name = "fake"
    dimension = 32

    def embed(self, texts):
        """One row a text: the sum of a fixed random vector a word, of length 1."""
        rows = np.array([self._row(text) for text in texts], dtype=np.float32).reshape(len(texts), self.dimension)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def _row(self, text):
        words = text.lower().split() or [""]
        return np.sum([self._word(word) for word in words], axis=0)

    def _word(self, word):
        seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest(), "big")
        return np.random.default_rng(seed).standard_normal(self.dimension)


class CountingEmbedder(FakeEmbedder):
    """Knows which texts it has embedded."""

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        """As the fake one does; the texts are kept."""
        self.texts.extend(texts)
        return super().embed(texts)
