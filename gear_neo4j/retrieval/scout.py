"""Scout, our own walk: PageRank from the names in a question, then what the question asks beyond those names.

It calls no language model, and the embedding model once, for the question. docs/scout.md tells how it came about and
what each part is worth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gear_neo4j.domain import Hits, Source
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.export import Compared, Seed
from gear_neo4j.retrieval.expansion import Expanded
from gear_neo4j.retrieval.fusion import Ranked, ranked
from gear_neo4j.retrieval.hipporag import Memory, by_mass, phrases
from gear_neo4j.retrieval.names import names, spans
from gear_neo4j.retrieval.pagerank import Weights, pagerank
from gear_neo4j.retrieval.projection import Projection
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.retrievers import fetched

# Of a question that is little more than a name, what remains without it is noise.
LEAST_REMAINDER = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Scouting:
    """Where the walk starts and how its end is read; the defaults were chosen on half of a data set (docs/scout.md).

    ``triples`` (as in HippoRAG 2) and ``passages`` near the question are seeds, the latter by ``passage_weight`` (as
    there) times their cosine over the best one; so is each entity that the question names, by ``name_weight`` over the
    number of its passages. ``damping`` is the probability of going on. Of the ``depth`` passages that the walk reaches
    most, each counts exp(``remainder`` x its cosine to what the question asks beyond its names) times. A weight of 0
    switches a part off.

    Raises:
        SettingsError: a number is below 0, no passage is looked at, or the damping is not below 1.
    """

    triples: int = 5
    passages: int = 200
    passage_weight: float = 0.05
    name_weight: float = 1.0
    damping: float = 0.6
    remainder: float = 1.5
    depth: int = 100

    def __post_init__(self) -> None:
        numbers = {name: getattr(self, name) for name in self.__slots__}
        for name, value in numbers.items():
            least = 1 if name in ("passages", "depth") else 0
            if value < least:
                raise SettingsError(f"scout's {name} is {value}: it must be at least {least}")
        if self.damping >= 1:
            raise SettingsError(f"scout's damping is {self.damping}: it must be below 1, or no walk would end")


class Scout:
    """PageRank from the names in the question and the triples and passages near it, read by what else it asks."""

    def __init__(self, memory: Memory, *, scouting: Scouting = Scouting()) -> None:
        self._memory = memory
        self._given = scouting

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the seed triples as paths of one triple; at most six round trips.

        Raises:
            InputError: the graph is too large to be held in memory.
        """
        asked = Question(checked(question, k=k), embedder=self._memory.embedder)
        graph = self._memory.project(asked)
        dense = self._memory.dense(asked, k=max(k, self._given.passages))
        with asked.timed("expand"):
            seeds = self._memory.export.seeds(asked.vector, k=self._given.triples) if self._given.triples else []
            named = self._named(asked)
            start = self._start(graph, dense, seeds, list(named.values()))
            ranking = self._read(asked, self._walked(graph, start)[: max(k, self._given.depth)], dense, list(named))
        paths = tuple(seed.path for seed in seeds)
        return fetched(self._memory.store, asked, ranking[:k], name="scout", walked=Expanded(paths))

    def _named(self, question: Question) -> dict[str, str]:
        """The entities that the question names: element ids by key."""
        found = spans(question.text) if self._given.name_weight else []
        known = self._memory.export.named(list(dict.fromkeys(span.key for span in found)))
        return {key: known[key] for key in names(found, known=known)}

    def _start(
        self, graph: Projection, dense: Sequence[tuple[str, float]], seeds: Sequence[Seed], named: Sequence[str]
    ) -> Weights:
        given, first = self._given, len(graph.passages)
        start = np.zeros(first + len(graph.entities))
        best = max((score for _, score in dense), default=0.0)
        for id, score in dense:
            if id in graph.places and score > 0:
                start[graph.places[id]] = given.passage_weight * score / best
        for entity, weight in phrases(graph, seeds).items():
            start[first + entity] += weight
        for place in (graph.entities[id] for id in named if id in graph.entities):
            start[first + place] += given.name_weight / float(graph.spoken_of[place])
        return start

    def _walked(self, graph: Projection, start: Weights) -> list[Ranked]:
        if not start.any():
            return []
        return by_mass(graph, pagerank(graph.counted_moves, start, damping=self._given.damping)[: len(graph.passages)])

    def _read(
        self, question: Question, reached: Sequence[Ranked], dense: Sequence[tuple[str, float]], named: Sequence[str]
    ) -> list[Ranked]:
        """The passages reached, each by its mass and by how near it is to what the question asks beyond its names."""
        if not reached:
            return ranked("sbert", dense)
        compared = self._memory.export.compare([item.id for item in reached], keys=named, query=question.vector)
        nearness = beyond(compared)
        places = {id: Source("sbert", rank) for rank, (id, _) in enumerate(dense, start=1)}
        read = [
            Ranked(
                item.id,
                item.score * math.exp(self._given.remainder * nearness.get(item.id, 0.0)),
                (*item.sources, *([places[item.id]] if item.id in places else [])),
            )
            for item in reached
        ]
        return sorted(read, key=lambda item: -item.score)


def beyond(compared: Compared) -> dict[str, float]:
    """The cosine of each passage with what remains of the query when the entities' share of it is taken out.

    That is the query minus its projection onto the space of the entities' embeddings, worked out from cosines alone.

    Example:
        >>> beyond(Compared([0.6], [[1.0]], {"about the name": (0.6, [1.0]), "about the rest": (0.8, [0.0])}))
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
