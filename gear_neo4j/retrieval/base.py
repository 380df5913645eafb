"""A ranker alone, without the graph: the baseline for every other retriever."""

from typing import ClassVar

from gear_neo4j.domain import Hits
from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import RetrieverRecipe, option
from gear_neo4j.retrieval.first_stage import FirstStage
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.rankers import BaseName
from gear_neo4j.retrieval.retriever import fetch_hits


class Base(RetrieverRecipe):
    """Passages by words, by meaning, or by both, without the graph."""

    name: ClassVar[str] = "base"
    base: BaseName = option(
        "hybrid", "what ranks passages: words (bm25, fulltext), meaning (sbert, colbert), or both (hybrid, weighted)"
    )

    @property
    def title(self) -> str:
        """The ranker's name."""
        return self.base


class BaseRetriever:
    """Returns the passages of a ranker alone."""

    def __init__(self, store: Store, *, base: FirstStage, embedder: Embedder) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first; one round trip, or two if the ranker fuses two lists."""
        query = Question(question, k=k, embedder=self._embedder)
        items, known = self._base.search(query, k=k)
        return fetch_hits(self._store, query, items, name=self._base.name, known=known)
