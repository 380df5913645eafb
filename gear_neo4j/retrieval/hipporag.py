"""HippoRAG, both versions: personalised PageRank from the question's names, or from the triples nearest to it."""

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
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, ranked
from gear_neo4j.retrieval.retriever import fetch_hits
from gear_neo4j.retrieval.walk.expansion import ExpansionResult
from gear_neo4j.retrieval.walk.pagerank import Weights, min_max_scaled, pagerank
from gear_neo4j.retrieval.walk.projection import Projection, Projections
from gear_neo4j.roles.seeds import Filter, Namer
from gear_neo4j.usage import Usage

# HippoRAG 2 (arXiv 2502.14802): number of seed triples and seed phrases, and the weight of passages.
SEED_TRIPLES = 5
SEED_PHRASES = 5
PASSAGE_WEIGHT = 0.05
# HippoRAG weights every passage by its cosine; with more than this many, the index query would dominate the time.
DENSE = 2_000


@dataclass(frozen=True, slots=True)
class GraphMemory:
    """What walks need of one database: passages, queries, the projection and the embedder."""

    store: Store
    queries: PageRankQueries
    projections: Projections
    embedder: Embedder

    def project(self, question: Question) -> Projection:
        """The projection of the current graph."""
        with question.timed("project"):
            return self.projections.current()

    def dense(self, question: Question, *, k: int) -> list[tuple[str, float]]:
        """The passages nearest to the question, with their cosines; one round trip."""
        with question.timed("base"):
            vector = question.vector
            dense = list(self.store.find_passages([{"vector": vector, "text": None}], k=k)[0].dense)
        question.note_cosines(dense)
        return dense


class HippoRag2(RetrieverRecipe):
    """PageRank from the triples and passages nearest to the question (HippoRAG 2); a model may filter the triples."""

    name: ClassVar[str] = "hipporag2"
    searches_synonyms: ClassVar[bool] = True


class HippoRag2Retriever:
    """HippoRAG 2: PageRank over passages and entities, from the triples and passages nearest to the question.

    Args:
        filter: a language model that chooses among the triples; without one, or if it fails, all of them are seeds. If
            it keeps none, the passages nearest to the question are returned.
    """

    def __init__(self, memory: GraphMemory, *, filter: Filter | None = None) -> None:
        self._memory = memory
        self._filter = filter

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the seed triples as paths of one triple; four round trips.

        Raises:
            InputError: the graph is too large to hold in memory.
        """
        query = Question(question, k=k, embedder=self._memory.embedder)
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
        return [seeds[index] for index in sorted(reply.value)], {"filter": reply.usage}


class HippoRag(RetrieverRecipe):
    """PageRank from the entities that a model finds in the question (HippoRAG 1); without entities, the base."""

    name: ClassVar[str] = "hipporag"
    searches_synonyms: ClassVar[bool] = True
    base: FirstStageRecipe = option("hybrid", "fallback if no entity is found: a ranker, or any retriever")

    @property
    def title(self) -> str:
        """Its name: the base is a fallback."""
        return self.name

    @property
    def calls_model(self) -> bool:
        """Yes: without a model, only its base would be left."""
        return True


class HippoRagRetriever:
    """HippoRAG 1: PageRank over entities, from those in the question; entities then score the passages.

    Args:
        namer: a language model that finds the names in a question. Without one, or if it fails or finds nothing, the
            base retriever's passages are returned.
    """

    def __init__(self, memory: GraphMemory, *, base: FirstStage, namer: Namer | None = None) -> None:
        self._memory = memory
        self._base = base
        self._namer = namer

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first; without paths, since PageRank follows all of them at once.

        Raises:
            InputError: the graph is too large to hold in memory.
        """
        query = Question(question, k=k, embedder=self._memory.embedder)
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
    """All passages that PageRank reaches from the seeds' entities and from the passages, weighted by 0.05."""
    start = np.zeros(len(graph.passages) + len(graph.entities))
    known = [(graph.passage_index[id], score) for id, score in dense if id in graph.passage_index]
    indexes = np.array([index for index, _ in known], dtype=np.intp)
    start[indexes] = PASSAGE_WEIGHT * min_max_scaled(np.array([score for _, score in known]))
    frequency = {end: float(graph.document_frequency[graph.entities[end]]) for end in _known_ends(graph, seeds)}
    for end, weight in phrases(seeds, frequency).items():
        start[len(graph.passages) + graph.entities[end]] = weight
    if not start.any():
        return ranked("sbert", dense)
    return rank_by_mass(graph, pagerank(graph.transition_matrix, start)[: len(graph.passages)])


def _known_ends(graph: Projection, seeds: Sequence[Seed]) -> list[str]:
    return [end for seed in seeds for end in seed.ends if end in graph.entities]


def phrases(seeds: Sequence[Seed], frequency: Mapping[str, float]) -> dict[str, float]:
    """The five entities whose triples are nearest on average, with weights.

    The weight is the sum of the triples' scores divided by the number of passages with the entity: an entity in many
    passages says little about any of them. Entities without a ``frequency`` are left out.
    """
    scores: dict[str, list[float]] = {}
    for seed in seeds:
        for end in dict.fromkeys(seed.ends):
            if end in frequency:
                scores.setdefault(end, []).append(seed.score)
    best = sorted(scores, key=lambda end: -fmean(scores[end]))[:SEED_PHRASES]
    return {end: sum(scores[end]) / frequency[end] for end in best}


def _rank_by_entities(graph: Projection, linked: Sequence[EntityLink]) -> list[Ranked]:
    """The passages by the summed PageRank of both ends of their triples, rescaled to 0 to 1."""
    start = np.zeros(len(graph.entities))
    for entity in linked:
        if entity.id in graph.entities:
            # An entity in many passages says little about any; an entity named twice counts once.
            start[graph.entities[entity.id]] = 1 / max(1.0, graph.document_frequency[graph.entities[entity.id]])
    if not start.any():
        return []
    return rank_by_mass(graph, graph.mentions @ pagerank(graph.phrase_transition, start), rescale=min_max_scaled)


def rank_by_mass(
    graph: Projection, mass: Weights, *, rescale: Callable[[Weights], Weights] = lambda mass: mass
) -> list[Ranked]:
    """The passages with mass above 0, best first."""
    reached = np.flatnonzero(mass > 0)
    # Passages are ordered by id, so a stable sort breaks ties by id.
    order = reached[np.argsort(-mass[reached], kind="stable")]
    scores = rescale(mass)
    return ranked("pagerank", [(graph.passages[index], float(scores[index])) for index in order])
