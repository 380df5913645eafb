"""Vectors of triples: encoded, by the model from the whole text, or composed from the vectors of their parts."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from gear_neo4j.domain import Statement, VectorSource
from gear_neo4j.models.embeddings import Embedder, Vectors

# The weight of predicates, chosen on MetaQA, where 0.7 finds more answers among the nearest triples than 1.
PREDICATE_WEIGHT = 0.7
# Enough for the names of most graphs; 150 MB at 384 dimensions.
PARTS_KEPT = 100_000


TripleVectors = Callable[[Sequence[Statement]], Vectors]


def triple_vectors(embedder: Embedder, source: VectorSource) -> TripleVectors:
    """The function from triples to their vectors: shape (len(triples), dimension), float32, each of length 1."""
    return ComposedVectors(embedder) if source == "composed" else lambda triples: encode(triples, embedder)


def encode(triples: Sequence[Statement], embedder: Embedder) -> Vectors:
    """The model's vectors of the triples' texts, each distinct text embedded once.

    Returns:
        Shape (len(triples), dimension), float32, each of length 1.
    """
    indexes = {text: index for index, text in enumerate(dict.fromkeys(triple.text for triple in triples))}
    return embedder.embed(list(indexes))[[indexes[triple.text] for triple in triples]]


class ComposedVectors:
    """Vectors of triples from those of their parts: a name is embedded once, however many triples contain it.

    A vector is subject + 0.7 · predicate + object, scaled to length 1. Parts are cached, for several threads; beyond
    ``most`` parts, the least recently used ones are dropped.
    """

    def __init__(self, embedder: Embedder, *, most: int = PARTS_KEPT) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    def __call__(self, triples: Sequence[Statement]) -> Vectors:
        """One row per triple: shape (len(triples), dimension), float32, each of length 1.

        Raises:
            ModelError: a model on a server failed.
        """
        if not triples:
            return self._embedder.embed([])
        subjects = [triple.subject for triple in triples]
        predicates = [triple.predicate for triple in triples]
        objects = [triple.object for triple in triples]
        texts = list(dict.fromkeys([*subjects, *predicates, *objects]))
        indexes = {text: index for index, text in enumerate(texts)}
        parts = self._parts(texts)
        first, middle, last = (parts[[indexes[text] for text in column]] for column in (subjects, predicates, objects))
        total = first + np.float32(PREDICATE_WEIGHT) * middle + last
        lengths = np.linalg.norm(total, axis=1, keepdims=True)
        # Opposite parts may cancel out, and the index accepts no zero vectors.
        return np.where(lengths > 1e-3, total / np.maximum(lengths, 1e-3), first)

    def _parts(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
            fresh = [text for text in texts if text not in known]
            # Copied, because a cached view of a row would keep its whole batch in memory.
            known.update((text, row.copy()) for text, row in zip(fresh, self._embedder.embed(fresh), strict=True))
            for text in texts:
                self._kept[text] = known[text]
                self._kept.move_to_end(text)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return np.stack([known[text] for text in texts])
