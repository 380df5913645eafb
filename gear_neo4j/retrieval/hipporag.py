"""HippoRAG, both versions: personalised PageRank from what the question names, or from the triples nearest to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import ClassVar

import numpy as np

from gear_neo4j.domain import Hits, entity_key
from gear_neo4j.errors import ModelError
from gear_neo4j.graph.read.pagerank_queries import EntityLink, PageRankQueries, Seed
from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import RetrieverRecipe, option
from gear_neo4j.retrieval.first_stage import FirstStage, FirstStageRecipe
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.rank.fusion import Ranked, ranked
from gear_neo4j.retrieval.retriever import fetch_hits
from gear_neo4j.retrieval.walk.expansion import ExpansionResult
from gear_neo4j.retrieval.walk.pagerank import Weights, min_max_scaled, pagerank
from gear_neo4j.retrieval.walk.projection import Projection, Projections
from gear_neo4j.roles.seeds import Filter, Namer
from gear_neo4j.usage import Usage

# HippoRAG 2 (arXiv 2502.14802): triples that the question finds, phrases that they seed, the weight of all passages.
SEED_TRIPLES = 5
SEED_PHRASES = 5
PASSAGE_WEIGHT = 0.05
# HippoRAG weighs every passage by its cosine; beyond this many, the index query would take longer than all the rest.
DENSE = 2_000


@dataclass(frozen=True, slots=True)
class GraphMemory:
    """What walks need of one database: passages, queries, the projection made from it, and the embedder."""

    store: Store
    queries: PageRankQueries
    projections: Projections
    embedder: Embedder

    def project(self, question: Question) -> Projection:
        """The graph as it is now."""
        with question.timed("project"):
            return self.projections.current()

    def dense(self, question: Question, *, k: int) -> list[tuple[str, float]]:
        """The passages nearest to the question, with their cosines; one round trip."""
        with question.timed("base"):
            vector = question.vector
            return list(self.store.find_passages([{"vector": vector, "text": None}], k=k)[0].dense)


class HippoRag2(RetrieverRecipe):
    """PageRank from the triples and passages nearest to the question (HippoRAG 2); a model may filter the triples."""

    name: ClassVar[str] = "hipporag2"
    searches_synonyms: ClassVar[bool] = True


class HippoRag2Retriever:
    """HippoRAG 2: PageRank over passages and entities, from the triples and passages nearest to the question.

    Args:
        filter: a language model that chooses among the triples; without one, or where it fails, all of them are seeds.
            Where it keeps none, the passages nearest to the question are the answer.
    """

    def __init__(self, memory: GraphMemory, *, filter: Filter | None = None) -> None:
        self._memory = memory
        self._filter = filter

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the seed triples as paths of one triple; four round trips.

        Raises:
            InputError: the graph is too large to be held in memory.
        """
        query = Question(checked(question, k=k), embedder=self._memory.embedder)
        graph = self._memory.project(query)
        dense = self._memory.dense(query, k=max(k, DENSE))
        with query.timed("expand"):
            seeds, usage = self._seeds(query)
            ranking = rank_by_walk(graph, seeds, dense)[:k] if seeds else ranked("sbert", dense[:k])
        paths = tuple(seed.path for seed in seeds)
        name = "hipporag2" if seeds else "hipporag2 (no triple helps: dense alone)"
        hits = fetch_hits(self._memory.store, query, ranking, name=name, expansion=ExpansionResult(paths))
        return replace(hits, usage=usage)

    def _seeds(self, question: Question) -> tuple[list[Seed], dict[str, Usage]]:
        seeds = self._memory.queries.seeds(question.vector, k=SEED_TRIPLES)
        if not (self._filter and seeds):
            return seeds, {}
        try:
            reply = self._filter.keep(question.text, [seed.triple for seed in seeds])
        except ModelError as error:
            return seeds, {"filter": error.usage}
        return [seeds[place] for place in sorted(reply.value)], {"filter": reply.usage}


class HippoRag(RetrieverRecipe):
    """PageRank from the entities that a model finds in the question (HippoRAG 1); without entities, its base."""

    name: ClassVar[str] = "hipporag"
    searches_synonyms: ClassVar[bool] = True
    base: FirstStageRecipe = option("hybrid", "fallback if no entity is found: a ranker, or any retriever")

    @property
    def title(self) -> str:
        """Its name: the base is a fallback."""
        return self.name

    @property
    def calls_model(self) -> bool:
        """It does: without one it is its base."""
        return True


class HippoRagRetriever:
    """HippoRAG 1: PageRank over entities, from those that the question names; a passage counts by its entities.

    Args:
        namer: a language model that finds the names in a question. Without one, where it fails and where it finds
            nothing, the base retriever's passages are the answer.
    """

    def __init__(self, memory: GraphMemory, *, base: FirstStage, namer: Namer | None = None) -> None:
        self._memory = memory
        self._base = base
        self._namer = namer

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first; without paths, for PageRank follows all of them at once.

        Raises:
            InputError: the graph is too large to be held in memory.
        """
        query = Question(checked(question, k=k), embedder=self._memory.embedder)
        graph = self._memory.project(query)
        with query.timed("expand"):
            linked, usage = self._link(query)
            ranking = _rank_by_entities(graph, linked)[:k]
        name = "hipporag"
        if not ranking:
            name = f"hipporag (no entity: {self._base.name} alone)"
            ranking = self._base.rank(query, k=k)
        return replace(fetch_hits(self._memory.store, query, ranking, name=name), usage=usage)

    def _link(self, question: Question) -> tuple[list[EntityLink], dict[str, Usage]]:
        if not self._namer:
            return [], {}
        try:
            reply = self._namer.names(question.text)
        except ModelError as error:
            return [], {"names": error.usage}
        vectors = self._memory.embedder.embed(list(reply.value)).tolist()
        keys = map(entity_key, reply.value)
        return self._memory.queries.link(list(zip(keys, vectors, strict=True))), {"names": reply.usage}


def rank_by_walk(graph: Projection, seeds: Sequence[Seed], dense: Sequence[tuple[str, float]]) -> list[Ranked]:
    """All passages that PageRank reaches from the seeds' entities and, by 0.05 of their cosines, from the passages."""
    start = np.zeros(len(graph.passages) + len(graph.entities))
    known = [(graph.places[id], score) for id, score in dense if id in graph.places]
    places = np.array([place for place, _ in known], dtype=np.intp)
    start[places] = PASSAGE_WEIGHT * min_max_scaled(np.array([score for _, score in known]))
    frequency = {end: float(graph.document_frequency[graph.entities[end]]) for end in _known_ends(graph, seeds)}
    for end, weight in phrases(seeds, frequency).items():
        start[len(graph.passages) + graph.entities[end]] = weight
    if not start.any():
        return ranked("sbert", dense)
    return rank_by_mass(graph, pagerank(graph.transition_matrix, start)[: len(graph.passages)])


def _known_ends(graph: Projection, seeds: Sequence[Seed]) -> list[str]:
    return [end for seed in seeds for end in seed.ends if end in graph.entities]


def phrases(seeds: Sequence[Seed], frequency: Mapping[str, float]) -> dict[str, float]:
    """The five entities whose triples are nearest on average, each weighing the sum of their scores over its passages.

    An entity of many passages says little about any of them; one without a ``frequency`` is left out.
    """
    scores: dict[str, list[float]] = {}
    for seed in seeds:
        for end in dict.fromkeys(seed.ends):
            if end in frequency:
                scores.setdefault(end, []).append(seed.score)
    best = sorted(scores, key=lambda end: -fmean(scores[end]))[:SEED_PHRASES]
    return {end: sum(scores[end]) / frequency[end] for end in best}


def _rank_by_entities(graph: Projection, linked: Sequence[EntityLink]) -> list[Ranked]:
    """The passages by the sum of the PageRank of both ends of each of their triples, stretched to 0 to 1."""
    start = np.zeros(len(graph.entities))
    for entity in linked:
        if entity.id in graph.entities:
            # An entity of many passages says little about any; an entity named twice counts once.
            start[graph.entities[entity.id]] = 1 / max(1.0, graph.document_frequency[graph.entities[entity.id]])
    if not start.any():
        return []
    return rank_by_mass(graph, graph.mentions @ pagerank(graph.phrase_transition, start), rescale=min_max_scaled)


def rank_by_mass(
    graph: Projection, mass: Weights, *, rescale: Callable[[Weights], Weights] = lambda mass: mass
) -> list[Ranked]:
    """The passages with mass above 0, best first."""
    reached = np.flatnonzero(mass > 0)
    # Ids are in order, so that a stable sort breaks ties by them.
    order = reached[np.argsort(-mass[reached], kind="stable")]
    scores = rescale(mass)
    return ranked("pagerank", [(graph.passages[place], float(scores[place])) for place in order])
