"""Scout, our own retriever: PageRank from the names in a question, mixed with a search by words and meaning.

It calls no language model, and the embedding model once, for the question. docs/scout.md explains its design and
measures each part.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from gear_neo4j.domain import FoundBy, Hits, Path
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.read.adjacency import Adjacency, AdjacencyReader
from gear_neo4j.graph.read.pagerank_queries import NamedEntity, PageRankQueries, Seed, Similarities, distinct_facts
from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import RetrieverRecipe, option
from gear_neo4j.retrieval.hipporag import phrases
from gear_neo4j.retrieval.lucene import fuzzy_query, lucene_query
from gear_neo4j.retrieval.names import misspelt_names, names, possible_words, spans, unknown_words
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, mix, ranked
from gear_neo4j.retrieval.rank.rankers import HYBRID_DEPTH, Weighted
from gear_neo4j.retrieval.retriever import fetch_hits
from gear_neo4j.retrieval.walk.expansion import ExpansionResult
from gear_neo4j.retrieval.walk.local_pagerank import LocalGraph, local_pagerank
from gear_neo4j.retrieval.walk.ways import best_ways, paths_along

# If a question is little more than a name, the remainder is noise.
LEAST_REMAINDER = 0.1
# Triples nearest to the question: the first are seeds, and of a hub only these count.
POOL = 50
# The share of words and meaning if the question names something that only one passage mentions.
LEAST_WORDS = 0.05


class Scout(RetrieverRecipe):
    """PageRank from the names in a question, mixed with a search by words and meaning; our best without a model.

    Seeds are the triples (as in HippoRAG 2) and passages nearest to the question, and the entities that it names. The
    weight of a passage is ``passage_weight`` times its cosine divided by the best one, that of a named entity
    ``name_weight`` divided by its document frequency. The mass of the first ``depth`` passages is multiplied by
    exp(``remainder`` x their cosine to the question without its names). A weight of 0 turns a part off. The walk reads
    only the edges of the nodes with most mass, and for a hub only the triples nearest to the question.

    The result is a mixture of these passages and those that ``base`` ``weighted`` ranks first. The share of the latter
    is ``words`` if the question names nothing. It falls to 0.05 if only one passage mentions one of the names, and
    both rankings begin with the same passage. The defaults were chosen on halves of data sets (docs/scout.md).

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "scout"
    searches_synonyms: ClassVar[bool] = True
    triples: int = option(5, "number of nearest triples to use as seeds", least=0)
    passages: int = option(100, "number of nearest passages to use as seeds", least=1)
    passage_weight: float = option(0.05, "weight of a seed passage", least=0)
    name_weight: float = option(1.0, "weight of an entity that the question names", least=0)
    damping: float = option(0.6, "probability that the walk continues", least=0, below=1)
    rounds: int = option(4, "number of round trips that read the edges of new nodes", least=1, client_most=8)
    frontier: int = option(200, "number of nodes whose edges are read per round", least=1)
    hub: int = option(300, "number of triples above which an entity or passage is a hub", least=1)
    remainder: float = option(1.5, "weight of the rest of the question", least=0)
    depth: int = option(100, "number of passages to re-rank", least=1)
    words: float = option(0.95, "share of words and meaning in the score if there are no names", least=0, most=1)
    sharpness: float = option(16.0, "how much more the passages with most of the words count", least=0, client_most=100)


@dataclass(frozen=True, slots=True)
class ScoutGraph:
    """What scout needs of one database: passages, seeds and names, the edges around them, and the embedder."""

    store: Store
    pagerank: PageRankQueries
    edges: AdjacencyReader
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Start:
    """Where a walk starts: the passages nearest to the question with their cosines, triples, and named entities.

    ``pool`` holds the triples nearest to the question, and ``seeds`` the first facts among them. ``similar`` are the
    passages that are best by words and meaning.
    """

    dense: Sequence[tuple[str, float]]
    similar: Sequence[Ranked]
    pool: Sequence[Seed]
    seeds: Sequence[Seed]
    named: Mapping[str, NamedEntity]

    @property
    def entities(self) -> list[str]:
        """The element ids of the entities at which seeds begin or end, and of those named."""
        ends = (end for seed in self.seeds for end in seed.ends)
        return list(dict.fromkeys([*ends, *(entity.id for entity in self.named.values())]))


@dataclass(frozen=True, slots=True)
class Walked:
    """The passages that the walk reached, best first; ``exact`` is False if it met a hub.

    ``graph`` is the graph that it met, and ``weights`` are those of its seeds, by index. ``rarest`` is the number of
    passages that mention the rarest name in the question, infinite if there is none.
    """

    reached: Sequence[Ranked] = ()
    graph: LocalGraph = field(default_factory=LocalGraph)
    weights: Mapping[int, float] = field(default_factory=dict)
    rarest: float = math.inf


class ScoutRetriever:
    """PageRank from the names in a question and the triples and passages near it, mixed with words and meaning."""

    def __init__(self, graph: ScoutGraph, *, options: Scout = Scout()) -> None:
        self._graph = graph
        self._options = options

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and for each the most probable path of the walk to it, if there is one.

        Seven round trips, plus one for each round in which the walk meets new nodes, one if a name may be misspelt, one
        if names have no capitals, and one under a scope.
        """
        options = self._options
        query = Question(question, k=k, embedder=self._graph.embedder)
        start = self._start(query, k=max(k, options.passages))
        with query.timed("expand"):
            walked = self._walk(start)
            reranked = self._rerank(query, walked.reached[: max(k, options.depth)], start)
            evidence = evidence_of_names(walked.rarest, reranked, start.similar)
            ranking = self._mix(reranked, start, evidence=evidence)[:k]
        with query.timed("paths"):
            paths, complete = self._paths(query, ranking, start, walked)
        expansion = ExpansionResult(tuple(paths), walked.graph.exact and complete)
        name = f"scout by {_basis(evidence)}"
        return fetch_hits(self._graph.store, query, ranking, name=name, expansion=expansion)

    def _start(self, question: Question, *, k: int) -> Start:
        """The k passages, the triples and the entities that a walk starts from.

        A second thread looks up the names while the question is encoded, then the triples while the passages are.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="scout") as thread:
            named = thread.submit(copy_context().run, self._link_names, question.text)
            vector = question.vector
            with question.timed("base"):
                nearest = thread.submit(copy_context().run, lambda: self._graph.pagerank.nearest(vector, k=POOL))
                found = self._graph.store.find_passages([{"vector": vector, "text": self._words(question)}], k=k)[0]
                question.note_cosines(found.dense)
                similar = Weighted().rank(question, found, k=HYBRID_DEPTH) if self._options.words else []
                pool = nearest.result()
                seeds = distinct_facts(pool)[: self._options.triples]
                return Start(found.dense, similar, pool, seeds, named.result())

    def _words(self, question: Question) -> str | None:
        """The question as a full-text query; None if the full-text index is not searched."""
        strict = self._graph.store.database.scope.strict
        return None if strict or not self._options.words else lucene_query(question.text) or None

    def _link_names(self, question: str) -> dict[str, NamedEntity]:
        """The entities that the question names, by key, including misspelt names."""
        candidates = spans(question) if self._options.name_weight else []
        known = self._graph.pagerank.named(list(dict.fromkeys(span.key for span in candidates)))
        common = self._graph.pagerank.common_words(possible_words(candidates, known=_written(known)))
        candidates = [span for span in candidates if span.key not in common]
        named = names(candidates, known=_written(known))
        if unknown := unknown_words(candidates, named=named):
            similar, words = self._graph.pagerank.similar(unknown, text=fuzzy_query(unknown))
            misspelt = misspelt_names(candidates, similar=_written(similar), words=words)
            known = {**similar, **known}
            named = names([*candidates, *misspelt], known=_written(known))
        return {span.key: known[span.key] for span in named}

    def _walk(self, start: Start) -> Walked:
        """The passages that the walk reaches."""
        options, graph = self._options, LocalGraph()
        kept = self._graph.edges.kept()

        def read(passages: Sequence[str], entities: Sequence[str]) -> Adjacency:
            return self._graph.edges.read(passages, entities, hub=options.hub, pool=start.pool, kept=kept)

        nearest = [id for id, _ in start.dense[: options.frontier]] if options.passage_weight else []
        first = read(nearest, start.entities)
        graph.add(first)
        frequency = {id: edges.mentioned_in for id, edges in first.entities.items() if edges.mentioned_in}
        weights = {
            graph.passage(id) if is_passage else graph.entity(id): weight
            for is_passage, id, weight in self._weights(start, frequency)
        }
        if not weights:
            return Walked(graph=graph)
        mass = local_pagerank(
            graph, weights, read=read, damping=options.damping, rounds=options.rounds, frontier=options.frontier
        )
        scored = [(id, float(mass[index])) for id, index in graph.passages.items() if mass[index] > 0]
        reached = ranked("pagerank", sorted(scored, key=lambda pair: (-pair[1], pair[0])))
        return Walked(reached, graph, weights, rarest(start, frequency))

    def _weights(self, start: Start, frequency: Mapping[str, float]) -> Iterator[tuple[bool, str, float]]:
        """The seeds: whether each is a passage, its id and its weight.

        Args:
            frequency: the number of passages that mention each entity.
        """
        options = self._options
        nearest = [(id, score) for id, score in start.dense[: options.passages] if score > 0]
        if options.passage_weight and nearest:
            best = max(score for _, score in nearest)
            yield from ((True, id, options.passage_weight * score / best) for id, score in nearest)
        weights = phrases(start.seeds, frequency)
        for entity in start.named.values():
            if entity.id in frequency:
                weights[entity.id] = weights.get(entity.id, 0.0) + options.name_weight / frequency[entity.id]
        yield from ((False, id, weight) for id, weight in weights.items() if weight)

    def _rerank(self, question: Question, reached: Sequence[Ranked], start: Start) -> list[Ranked]:
        """The passages that the walk reached, by their mass and their cosine to the rest of the question; best first.

        Names get embeddings in the graph when synonyms are linked; until then they are made here.
        """
        if not reached:
            return []
        texts = [key for key, entity in start.named.items() if not entity.embedded]
        vectors = self._graph.embedder.embed(texts).tolist() if texts else []
        compared = self._graph.pagerank.compare(
            [item.id for item in reached], keys=list(start.named), vectors=vectors, query=question.vector
        )
        question.note_cosines((id, cosine) for id, (cosine, _) in compared.passages.items())
        nearness = remainder_cosine(compared)
        sources = {id: (FoundBy("sbert", rank),) for rank, (id, _) in enumerate(start.dense, start=1)}
        rescored = [
            Ranked(
                item.id,
                item.score * math.exp(self._options.remainder * nearness.get(item.id, 0.0)),
                (*item.sources, *sources.get(item.id, ())),
            )
            for item in reached
        ]
        return sorted(rescored, key=lambda item: -item.score)

    def _mix(self, walked: Sequence[Ranked], start: Start, *, evidence: float) -> list[Ranked]:
        """Passages by the walk, and by words and meaning; if both find too few, the nearest ones follow."""
        most = self._options.words
        share = most - (most - min(most, LEAST_WORDS)) * evidence
        mixed = mix(walked, start.similar, share=share, sharpness=self._options.sharpness)
        ids = {item.id for item in mixed}
        rest = ranked("sbert", start.dense) if self._options.passage_weight or not mixed else []
        return [*mixed, *(replace(item, score=0.0) for item in rest if item.id not in ids)]

    def _paths(
        self, question: Question, ranking: Sequence[Ranked], start: Start, walked: Walked
    ) -> tuple[list[Path], bool]:
        """The most probable path of the walk to each passage, and whether the server had the time to look them up.

        Paths begin at an entity or the nearest passage. From the other seed passages, nearly every passage is one step
        away.
        """
        graph = walked.graph
        nearest = {graph.passages[id] for id, _ in start.dense[:1] if id in graph.passages}
        seeds = {
            index: weight for index, weight in walked.weights.items() if index in nearest or not graph.nodes[index][0]
        }
        targets = {item.id: graph.passages[item.id] for item in ranking if item.id in graph.passages}
        named = [graph.entities[entity.id] for entity in start.named.values() if entity.id in graph.entities]
        ways = best_ways(graph, seeds, targets.values(), damping=self._options.damping, names=named)
        reached = [item for item in ranking if targets.get(item.id) in ways]
        nodes = [[[graph.nodes[index] for index in way] for way in ways[targets[item.id]]] for item in reached]
        try:
            paths = paths_along(nodes, edges=self._graph.edges, query=question.vector, pool=start.pool)
        except QueryTimeout:
            return [], False
        found = [replace(path, score=item.score) for item, path in zip(reached, paths, strict=True) if path.triples]
        return found, True


def _written(entities: Mapping[str, NamedEntity]) -> dict[str, str]:
    return {key: entity.name for key, entity in entities.items()}


def rarest(start: Start, frequency: Mapping[str, float]) -> float:
    """The number of passages that mention the rarest of the named entities, infinite if there is none."""
    return min((frequency.get(entity.id, math.inf) for entity in start.named.values()), default=math.inf)


def _basis(evidence: float) -> str:
    """What a result mainly rests on, in a word."""
    return "names" if evidence > 2 / 3 else "both" if evidence > 1 / 3 else "words"


def evidence_of_names(rarest: float, walked: Sequence[Ranked], similar: Sequence[Ranked]) -> float:
    """How far the names of a question can be trusted to lead to its passages, from 0 to 1.

    It is the root of the share that the walk's first passage has of the best score by words and meaning, divided by the
    number of passages that mention the rarest name.

    Example:
        >>> walked, similar = [Ranked("b", 0.2, ())], [Ranked("a", 0.8, ()), Ranked("b", 0.2, ())]
        >>> evidence_of_names(1, walked, similar), evidence_of_names(math.inf, walked, similar)
        (0.5, 0.0)
    """
    scores = {item.id: item.score for item in similar}
    best = max(scores.values(), default=0.0)
    fit = max(scores.get(walked[0].id, 0.0), 0.0) / best if walked and best > 0 else 1.0
    return math.sqrt(fit / rarest)


def remainder_cosine(compared: Similarities) -> dict[str, float]:
    """The cosine of each passage and the remainder of the query without its entities.

    The remainder is the query minus its projection onto the span of the entities' embeddings, computed from cosines.

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
