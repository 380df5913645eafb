"""Reranking: the first passages of any retriever are read by a cross-encoder, and its scores added to their ranks."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from gear_neo4j.domain import FoundBy, Hit, Hits
from gear_neo4j.models.cross_encoder import Reranker
from gear_neo4j.recipes.recipe import AgentRecipe, RetrieverRecipe, option
from gear_neo4j.recipes.registry import AnyRetriever
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.base import Base
from gear_neo4j.retrieval.retriever import Retriever, ranked_again
from gear_neo4j.retrieval.sync import SyncGE

# In place of a score of 0.
LEAST_SCORE = 1e-9
# Pairs that are scored together; between two batches, the time is checked.
BATCH = 5


class Rerank(RetrieverRecipe):
    """Another retriever, whose first passages are ordered anew by a cross-encoder; needs one (``--rerank MODEL``).

    The model reads the question, followed by the triples of other passages on the path to the passage. Its score is
    multiplied by ``weight`` and added to the logarithm of the retriever's score: by itself, it would prefer passages
    that repeat the question to those that answer it. After ``seconds``, the passages not yet read keep their places.

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "rerank"
    searches_synonyms: ClassVar[bool] = True
    over: AnyRetriever = option(Auto(), "the retriever whose passages are ordered")
    first: int = option(15, "number of passages to read", least=2, client_most=50)
    weight: float = option(0.3, "weight of the model's score", least=0, client_most=100)
    seconds: float = option(3.0, "maximum time to read", above=0, client_most=10)

    @property
    def requires_model(self) -> bool:
        """Whether the retriever needs a language model."""
        return self.over.requires_model

    @property
    def calls_model(self) -> bool:
        """Whether the retriever calls a language model if there is one."""
        return self.over.calls_model


class RerankRetriever:
    """Orders the first passages of a retriever by their scores and those of a cross-encoder."""

    def __init__(self, retriever: Retriever, *, reranker: Reranker, options: Rerank) -> None:
        self._retriever = retriever
        self._reranker = reranker
        self._options = options

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first; as many round trips as the retriever takes.

        The scores are those of the retriever, in their order. The source ``reranker`` has the model's ranks.
        """
        hits = self._retriever.retrieve(question, k=max(k, self._options.first))
        started = time.perf_counter()
        scores = self._scores(hits)
        spent = 1_000 * (time.perf_counter() - started)
        name = f"{hits.retriever}, reranked" if scores else hits.retriever
        ordered = _ordered(hits, scores, weight=self._options.weight)[:k]
        return replace(hits, hits=ordered, retriever=name, milliseconds={**hits.milliseconds, "rerank": spent})

    def _scores(self, hits: Hits) -> list[float]:
        """The model's scores of the first passages, as many as it reads in time."""
        pairs = [(_question(hits, hit), hit.passage.content) for hit in hits[: self._options.first]]
        scores = self._reranker.score(())
        until = time.monotonic() + self._options.seconds
        while len(scores) < len(pairs) and time.monotonic() < until:
            scores += self._reranker.score(pairs[len(scores) : len(scores) + BATCH])
        return scores


def reranked(recipe: RetrieverRecipe) -> Rerank:
    """A retriever under a reranker."""
    return recipe if isinstance(recipe, Rerank) else Rerank(over=recipe)


def reranking(recipe: AgentRecipe) -> AgentRecipe:
    """An agent over a reranker, if it is built on a retriever of any kind; else the agent as it is."""
    over = getattr(recipe, "over", None)
    if isinstance(over, SyncGE):
        base = over.base if isinstance(over.base, RetrieverRecipe) else Base(base=over.base)
        return recipe.model_copy(update={"over": over.model_copy(update={"base": reranked(base)})})
    # Some agents are built on one kind of retriever, and read more from it than passages.
    if over is None or type(recipe).model_fields["over"].annotation is not RetrieverRecipe:
        return recipe
    return recipe.model_copy(update={"over": reranked(over)})


def _question(hits: Hits, hit: Hit) -> str:
    """The question, with the triples of other passages on the path to the hit."""
    path = hits.path_to(hit.passage.id)
    led = [triple.text for triple in path.triples if triple.passage_id != hit.passage.id] if path else []
    return ". ".join([hits.question, *led])


def _prior(hits: Hits, index: int) -> float:
    """The logarithm of a hit's score, or of 1 / rank if the retriever gives no scores."""
    scored = hits[0].score > 0
    return math.log(max(hits[index].score, LEAST_SCORE) if scored else 1 / (index + 1))


def _ordered(hits: Hits, scores: Sequence[float], *, weight: float) -> tuple[Hit, ...]:
    """The hits in their new order; those without a score by the model follow.

    Example:
        >>> from gear_neo4j.domain import Passage
        >>> hits = Hits("Who?", "n", tuple(Hit(Passage(f"p{n}", "", ""), 1 / n, n) for n in (1, 2, 3)))
        >>> [(hit.passage.id, hit.score) for hit in _ordered(hits, [-5.0, 5.0], weight=0.3)]
        [('p2', 1.0), ('p1', 0.5), ('p3', 0.3333333333333333)]
    """
    by_model = sorted(range(len(scores)), key=lambda index: -scores[index])
    ranks = {index: rank for rank, index in enumerate(by_model, start=1)}
    total = {index: weight * score + _prior(hits, index) for index, score in enumerate(scores)}
    order = [*sorted(total, key=lambda index: -total[index]), *range(len(scores), len(hits))]
    read = [
        replace(hits[index], sources=(*hits[index].sources, FoundBy("reranker", ranks[index])))
        if index in ranks
        else hits[index]
        for index in order
    ]
    # The scores of the two models have no common scale: each place keeps its score.
    return ranked_again([replace(hit, score=held.score) for hit, held in zip(read, hits, strict=True)])
