"""Scout, our own walk: PageRank from the names in a question, re-ranked by the rest of the question.

It calls no language model, and the embedding model once, for the question. docs/scout.md explains its design and
measures each part.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from gear_neo4j.domain import Hits, Source
from gear_neo4j.graph.export import Seed, Similarities
from gear_neo4j.recipes import RetrieverRecipe, option
from gear_neo4j.retrieval.expansion import ExpansionResult
from gear_neo4j.retrieval.fusion import Ranked, ranked
from gear_neo4j.retrieval.hipporag import GraphMemory, phrases, rank_by_mass
from gear_neo4j.retrieval.names import names, spans
from gear_neo4j.retrieval.pagerank import Weights, pagerank
from gear_neo4j.retrieval.projection import Projection
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.retriever import fetch_hits

# Of a question that is little more than a name, what remains without it is noise.
LEAST_REMAINDER = 0.1


class Scout(RetrieverRecipe):
    """PageRank from the names in a question, re-ranked by the rest of it; our best without a model.

    Seeds are the triples (as in HippoRAG 2) and the passages nearest to the question, and the entities that it names. A
    passage weighs ``passage_weight`` times its cosine over the best one, a named entity ``name_weight`` over its
    document frequency. Each of the ``depth`` passages with most mass is scaled by exp(``remainder`` x its cosine to the
    question without its names). A weight of 0 switches a part off. The defaults were chosen on half of a data set
    (docs/scout.md).

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "scout"
    searches_synonyms: ClassVar[bool] = True
    triples: int = option(5, "triples nearest to the question that are seeds", least=0)
    passages: int = option(200, "passages nearest to the question that are seeds", least=1)
    passage_weight: float = option(0.05, "weight of a seed passage", least=0)
    name_weight: float = option(1.0, "weight of an entity that the question names", least=0)
    damping: float = option(0.6, "probability that the walk goes on", least=0, below=1)
    remainder: float = option(1.5, "how much the rest of the question counts", least=0)
    depth: int = option(100, "passages that are re-ranked", least=1)


class ScoutRetriever:
    """PageRank from the names in a question and the triples and passages near it, re-ranked by the rest of it."""

    def __init__(self, memory: GraphMemory, *, options: Scout = Scout()) -> None:
        self._memory = memory
        self._options = options

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the seed triples as paths of one triple; at most six round trips.

        Raises:
            InputError: the graph is too large to be held in memory.
        """
        query = Question(checked(question, k=k), embedder=self._memory.embedder)
        graph = self._memory.project(query)
        dense = self._memory.dense(query, k=max(k, self._options.passages))
        with query.timed("expand"):
            seeds = self._memory.export.seeds(query.vector, k=self._options.triples) if self._options.triples else []
            named = self._link_names(query)
            start = self._start(graph, dense, seeds, list(named.values()))
            ranking = self._rerank(query, self._walk(graph, start)[: max(k, self._options.depth)], dense, list(named))
        paths = tuple(seed.path for seed in seeds)
        return fetch_hits(self._memory.store, query, ranking[:k], name="scout", expansion=ExpansionResult(paths))

    def _link_names(self, question: Question) -> dict[str, str]:
        """The entities that the question names: element ids by key."""
        candidates = spans(question.text) if self._options.name_weight else []
        known = self._memory.export.named(list(dict.fromkeys(span.key for span in candidates)))
        return {key: known[key] for key in names(candidates, known=known)}

    def _start(
        self, graph: Projection, dense: Sequence[tuple[str, float]], seeds: Sequence[Seed], named: Sequence[str]
    ) -> Weights:
        options, first = self._options, len(graph.passages)
        start = np.zeros(first + len(graph.entities))
        best = max((score for _, score in dense), default=0.0)
        for id, score in dense:
            if id in graph.places and score > 0:
                start[graph.places[id]] = options.passage_weight * score / best
        for entity, weight in phrases(graph, seeds).items():
            start[first + entity] += weight
        for place in (graph.entities[id] for id in named if id in graph.entities):
            start[first + place] += options.name_weight / float(graph.document_frequency[place])
        return start

    def _walk(self, graph: Projection, start: Weights) -> list[Ranked]:
        if not start.any():
            return []
        return rank_by_mass(
            graph, pagerank(graph.weighted_transition, start, damping=self._options.damping)[: len(graph.passages)]
        )

    def _rerank(
        self, question: Question, reached: Sequence[Ranked], dense: Sequence[tuple[str, float]], named: Sequence[str]
    ) -> list[Ranked]:
        """The passages reached, each scored by its mass and its nearness to the question without its names."""
        if not reached:
            return ranked("sbert", dense)
        compared = self._memory.export.compare([item.id for item in reached], keys=named, query=question.vector)
        nearness = remainder_cosine(compared)
        places = {id: Source("sbert", rank) for rank, (id, _) in enumerate(dense, start=1)}
        rescored = [
            Ranked(
                item.id,
                item.score * math.exp(self._options.remainder * nearness.get(item.id, 0.0)),
                (*item.sources, *([places[item.id]] if item.id in places else [])),
            )
            for item in reached
        ]
        return sorted(rescored, key=lambda item: -item.score)


def remainder_cosine(compared: Similarities) -> dict[str, float]:
    """The cosine of each passage with what remains of the query when the entities' share of it is taken out.

    That is the query minus its projection onto the space of the entities' embeddings, worked out from cosines alone.

    Example:
        >>> passages = {"about the name": (0.6, [1.0]), "about the rest": (0.8, [0.0])}
        >>> remainder_cosine(Similarities([0.6], [[1.0]], passages))
        {'about the name': 0.0, 'about the rest': 1.0}
    """
    query = np.array(compared.query)
    share = np.linalg.lstsq(np.array(compared.between), query, rcond=1e-6)[0] if query.size else query
    left = 1.0 - float(share @ query)
    if left < LEAST_REMAINDER:
        return {id: cosine for id, (cosine, _) in compared.passages.items()}
    return {
        id: round((cosine - float(share @ np.array(names))) / math.sqrt(left), 9)
        for id, (cosine, names) in compared.passages.items()
    }
