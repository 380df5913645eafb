"""Rankers of passages without the graph: by words, by meaning, or by both."""

from collections.abc import Sequence
from typing import Literal, Protocol

from gear_neo4j.graph.read.store import IndexHits
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, combine, fuse, ranked

HYBRID_DEPTH = 50
# Chosen on the even questions of two data sets (docs/results.md).
MEANING = 0.7
NOTHING = IndexHits()
BaseName = Literal["bm25", "fulltext", "sbert", "hybrid", "weighted", "colbert"]


class Ranker(Protocol):
    """Ranks passages without the graph, from the results of the database's indexes."""

    @property
    def name(self) -> str:
        """The name of the source in hits."""

    @property
    def needs(self) -> frozenset[str]:
        """The look-ups that it needs: ``vector``, ``text``, both or nothing."""

    def depth(self, k: int) -> int:
        """The number of passages from each index that it needs to rank k."""

    def rank(self, question: Question, lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""


class Fulltext:
    """Neo4j's own full-text index (Lucene, BM25 with English stemming): keyword search for corpora of any size."""

    name = "fulltext"
    needs = frozenset({"text"})

    def depth(self, k: int) -> int:
        """k itself."""
        return k

    def rank(self, _question: Question, lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages that share a term with the question."""
        return ranked(self.name, lookup.words[:k])


class Sbert:
    """Sentence embeddings and the vector index: the k passages nearest to the question."""

    name = "sbert"
    needs = frozenset({"vector"})

    def depth(self, k: int) -> int:
        """k itself."""
        return k

    def rank(self, _question: Question, lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages by cosine."""
        return ranked(self.name, lookup.dense[:k])


class Hybrid:
    """Reciprocal rank fusion of the first 50 (or k, if that is more) passages of several rankers."""

    name = "hybrid"

    def __init__(self, parts: Sequence[Ranker], *, depth: int = HYBRID_DEPTH) -> None:
        self._parts = parts
        self._depth = depth
        self.needs = frozenset[str]().union(*(part.needs for part in parts))

    def depth(self, k: int) -> int:
        """50, or k if that is more."""
        return max(k, self._depth)

    def rank(self, question: Question, lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages by fused rank."""
        depth = self.depth(k)
        return fuse({part.name: part.rank(question, lookup, k=depth) for part in self._parts})[:k]


class Weighted:
    """The first 50 (or k) of ``sbert`` and of ``fulltext``, ordered by their weighted scores.

    The score of a passage is ``meaning`` times its cosine, plus (1 - ``meaning``) times its Lucene score as a share of
    the best one.
    """

    name = "weighted"
    needs = frozenset({"vector", "text"})

    def __init__(self, *, meaning: float = MEANING) -> None:
        self._weights = {"sbert": meaning, "fulltext": 1 - meaning}

    def depth(self, k: int) -> int:
        """50, or k if that is more."""
        return max(k, HYBRID_DEPTH)

    def rank(self, _question: Question, lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages by both scores."""
        depth = self.depth(k)
        best = max((score for _, score in lookup.words), default=0.0) or 1.0
        words = [(id, score / best) for id, score in lookup.words[:depth]]
        lists = {"sbert": ranked("sbert", lookup.dense[:depth]), "fulltext": ranked("fulltext", words)}
        return combine(lists, weights=self._weights)[:k]
