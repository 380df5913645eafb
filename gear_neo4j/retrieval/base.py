"""Base retrievers: what finds the first passages, by words, by meaning, or by both."""

from collections.abc import Sequence
from typing import Protocol

from gear_neo4j.graph.store import Store
from gear_neo4j.retrieval.fusion import Ranked, fuse, ranked
from gear_neo4j.retrieval.lucene import lucene_query
from gear_neo4j.retrieval.question import Question

HYBRID_DEPTH = 50


class Base(Protocol):
    """What ranks passages by themselves, without the graph."""

    @property
    def name(self) -> str:
        """The name that hits carry as their source."""

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""


class Fulltext:
    """Neo4j's own full-text index (Lucene, BM25 with English stemming): the keyword search for any size of corpus."""

    name = "fulltext"

    def __init__(self, store: Store) -> None:
        self._store = store

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages that share a term with the question; one round trip."""
        text = lucene_query(question.text)
        with question.timed("base"):
            return ranked(self.name, self._store.fulltext_passages(text, k=k) if text else [])


class Sbert:
    """Sentence embeddings and the vector index: the k passages nearest to the question."""

    name = "sbert"

    def __init__(self, store: Store) -> None:
        self._store = store

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages by cosine; one round trip."""
        vector = question.vector
        with question.timed("base"):
            return ranked(self.name, self._store.nearest_passages(vector, k=k))


class Hybrid:
    """Reciprocal rank fusion of several base retrievers, each asked for its first 50 (or k, if that is more)."""

    name = "hybrid"

    def __init__(self, parts: Sequence[Base], *, depth: int = HYBRID_DEPTH) -> None:
        self._parts = parts
        self._depth = depth

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages by fused rank."""
        depth = max(k, self._depth)
        return fuse({part.name: part.rank(question, k=depth) for part in self._parts})[:k]
