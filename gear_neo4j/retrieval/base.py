"""Base retrievers: what finds the first passages, by words, by meaning, or by both."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from gear_neo4j.domain import Passage
from gear_neo4j.graph.store import Found, Store
from gear_neo4j.retrieval.fusion import Ranked, fuse, ranked
from gear_neo4j.retrieval.lucene import lucene_query
from gear_neo4j.retrieval.question import Question

HYBRID_DEPTH = 50
# Passages by which a triple is linked, and the triples near it whose passages are looked at: those of GeAR's code.
LINK_K = 5
LINK_TRIPLES = 25
NOTHING = Found()


class Base(Protocol):
    """What ranks passages by themselves, without the graph, from what the indexes of the database found."""

    @property
    def name(self) -> str:
        """The name that hits carry as their source."""

    @property
    def needs(self) -> frozenset[str]:
        """What the database has to look up for it: ``vector``, ``text``, both or nothing."""

    def depth(self, k: int) -> int:
        """How many passages of each kind it needs to rank k."""

    def rank(self, question: Question, found: Found = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""


class Fulltext:
    """Neo4j's own full-text index (Lucene, BM25 with English stemming): the keyword search for any size of corpus."""

    name = "fulltext"
    needs = frozenset({"text"})

    def depth(self, k: int) -> int:
        """As many as asked for."""
        return k

    def rank(self, _question: Question, found: Found = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages that share a term with the question."""
        return ranked(self.name, found.words[:k])


class Sbert:
    """Sentence embeddings and the vector index: the k passages nearest to the question."""

    name = "sbert"
    needs = frozenset({"vector"})

    def depth(self, k: int) -> int:
        """As many as asked for."""
        return k

    def rank(self, _question: Question, found: Found = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages by cosine."""
        return ranked(self.name, found.dense[:k])


class Hybrid:
    """Reciprocal rank fusion of several base retrievers, each asked for its first 50 (or k, if that is more)."""

    name = "hybrid"

    def __init__(self, parts: Sequence[Base], *, depth: int = HYBRID_DEPTH) -> None:
        self._parts = parts
        self._depth = depth
        self.needs = frozenset[str]().union(*(part.needs for part in parts))

    def depth(self, k: int) -> int:
        """50, or k if that is more."""
        return max(k, self._depth)

    def rank(self, question: Question, found: Found = NOTHING, *, k: int) -> list[Ranked]:
        """At most k passages by fused rank."""
        depth = self.depth(k)
        return fuse({part.name: part.rank(question, found, k=depth) for part in self._parts})[:k]


class BaseSearch:
    """A base retriever over one database: whatever it looks up there takes one round trip, or none."""

    def __init__(self, store: Store, base: Base) -> None:
        self._store = store
        self._base = base

    @property
    def name(self) -> str:
        """The name that hits carry as their source."""
        return self._base.name

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""
        return self._ranked(question, self._found(question, k=k, whole=False), k=k)

    def search(self, question: Question, *, k: int) -> tuple[list[Ranked], Mapping[str, Passage]]:
        """At most k passages, best first, and the contents of those that came along with their ids.

        They come where no more is looked up than was asked for: not from what fuses long lists, nor from memory.
        """
        found = self._found(question, k=k, whole=self._base.depth(k) == k)
        return self._ranked(question, found, k=k), found.passages

    def link(self, questions: Sequence[Question], *, k: int = LINK_K) -> list[list[Ranked]]:
        """The k passages of each triple, given as a question (GeAR's passageLink); one round trip for all.

        Two rankings are fused: the passages that the base retriever finds for the triple's text, and the passages of
        the triples nearest to it (GeAR, equation 8).
        """
        if not questions:
            return []
        queries = [self._query(question, vector=True) for question in questions]
        with questions[0].timed("base"):
            found = self._store.link_passages(queries, k=self._base.depth(k), triples=LINK_TRIPLES)
        linked = []
        for question, one in zip(questions, found, strict=True):
            stating = ranked("triples", [(id, 0.0) for id in dict.fromkeys(one.stating)][:k])
            base = self._base.rank(question, one, k=k)
            linked.append(fuse({self._base.name: base, "triples": stating})[:k])
        return linked

    def _found(self, question: Question, *, k: int, whole: bool) -> Found:
        if not self._base.needs:
            return NOTHING
        query = self._query(question, vector="vector" in self._base.needs)
        with question.timed("base"):
            return self._store.find_passages([query], k=self._base.depth(k), whole=whole)[0]

    def _query(self, question: Question, *, vector: bool) -> dict[str, object]:
        """What the database looks up for a question; a vector that is not needed is not made."""
        return {
            "vector": question.vector if vector else None,
            "text": (lucene_query(question.text) or None) if "text" in self._base.needs else None,
        }

    def _ranked(self, question: Question, found: Found, *, k: int) -> list[Ranked]:
        with question.timed("base"):
            return self._base.rank(question, found, k=k)
