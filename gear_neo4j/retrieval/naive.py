"""NaiveGE (GeAR, section 4.1): the graph expansion without a language model."""

from typing import ClassVar

from gear_neo4j.domain import Hits
from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import RetrieverRecipe, option
from gear_neo4j.retrieval.first_stage import FirstStage, FirstStageRecipe
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import fuse, ranked
from gear_neo4j.retrieval.retriever import BASE_K, fetch_hits
from gear_neo4j.retrieval.walk.beam import Beam, passages_of
from gear_neo4j.retrieval.walk.expansion import Expansion, ExpansionResult, Score


class ExpansionRecipe(RetrieverRecipe):
    """The options that both graph expansions of the paper share."""

    base: FirstStageRecipe = option("hybrid", "first stage: a ranker, or any retriever")
    base_k: int = option(BASE_K, "number of passages from the first stage", least=1)
    beam: Beam = option(Beam(), "how wide and how far the beam search goes")
    score: Score = option("composed", "what scores a path: the sum of its embeddings, its text, or its last triple")


class Naive(ExpansionRecipe):
    """Walks the graph from all triples of the first passages; no model is called (GeAR's NaiveGE)."""

    name: ClassVar[str] = "naive"


class NaiveRetriever:
    """Fuses the first passages and those of a beam search from all their triples, by rank."""

    def __init__(
        self, store: Store, *, base: FirstStage, expansion: Expansion, embedder: Embedder, base_k: int
    ) -> None:
        self._store = store
        self._base = base
        self._expansion = expansion
        self._embedder = embedder
        self._base_k = base_k

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the paths of the beam search.

        Paths of one or two triples take two round trips; longer ones take one more per triple, and one for the passages
        that they reach. A question whose paths meet a hub takes three more. A base in memory saves one, but reads the
        version of the graph once a second, which takes one.
        """
        query = Question(question, k=k, embedder=self._embedder)
        base = self._base.rank(query, k=max(k, self._base_k))
        start = [item.id for item in base[: self._base_k]]
        expansion = self._expansion.expand(query, passages=start) if start else ExpansionResult()
        expanded = ranked("graph", [(id, 0.0) for id in passages_of(expansion.paths)])
        fused = fuse({"graph": expanded, self._base.name: base})[:k]
        return fetch_hits(self._store, query, fused, name=f"naive over {self._base.name}", expansion=expansion)
