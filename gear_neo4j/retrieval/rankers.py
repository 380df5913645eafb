"""Rankers of passages without the graph: by words, by meaning, or by both."""

from collections.abc import Sequence
from typing import Literal, Protocol

from gear_neo4j.graph.store import IndexHits
from gear_neo4j.retrieval.fusion import Ranked, fuse, ranked
from gear_neo4j.retrieval.question import Question

HYBRID_DEPTH = 50
NOTHING = IndexHits()
BaseName = Literal["bm25", "fulltext", "sbert", "hybrid", "colbert"]


class Ranker(Protocol):
    """What ranks passages by themselves, without the graph, from the results of the database's indexes."""

    @property
    def name(self) -> str:
        """The name that hits carry as their source."""

    @property
    def needs(self) -> frozenset[str]:
        """What the database has to look up for it: ``vector``, ``text``, both or nothing."""

    def depth(self, k: int) -> int:
        """How many passages of each kind it needs to rank k."""

    def rank(self, question: Question, lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""


class Fulltext:
    """Neo4j's own full-text index (Lucene, BM25 with English stemming): the keyword search for any size of corpus."""

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
    """Reciprocal rank fusion of several rankers, each with its first 50 (or k, if that is more)."""

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
