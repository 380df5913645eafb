"""The graph as sparse matrices: exported once, kept in memory, made anew when the graph has changed."""

from array import array
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gear_neo4j.errors import InputError
from gear_neo4j.graph.read.pagerank_queries import PageRankQueries, Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.retrieval.walk.pagerank import Matrix, Weights, blocks, matrix, transition

# Measured: 350 bytes a triple, 490 while it is made, so that this many take about a gigabyte.
MOST_TRIPLES = 2_000_000
DERIVED = ("phrase_transition", "transition_matrix", "weighted_transition")


@dataclass(frozen=True, eq=False)
class Projection:
    """The graph of one version: passages and entities by their places, and the weights between them.

    ``mentions`` holds how many triples of a passage begin or end in an entity, shape (passages, entities); ``links``
    the number of triples between two entities plus the scores of their synonym edges, symmetric, shape (entities,
    entities). No text and no vector is in it.
    """

    version: Version
    passages: tuple[str, ...]
    entities: dict[str, int]
    mentions: Matrix
    links: Matrix
    places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {id: place for place, id in enumerate(self.passages)})

    @cached_property
    def document_frequency(self) -> Weights:
        """The number of passages that mention each entity, shape (entities,)."""
        return np.bincount(self.mentions.indices, minlength=len(self.entities)).astype(np.float64)

    @cached_property
    def phrase_transition(self) -> Matrix:
        """Transition matrix between entities, for HippoRAG's first version."""
        return transition(self.links)

    @cached_property
    def transition_matrix(self) -> Matrix:
        """Transition matrix over passages, then entities; a passage's edges to its entities weigh 1."""
        edges = self.mentions.copy()
        edges.data = np.ones_like(edges.data)
        return transition(blocks([[None, edges], [edges.T, self.links]]))

    @cached_property
    def weighted_transition(self) -> Matrix:
        """The same, where the edge of a passage to an entity weighs the number of its triples that name the entity."""
        return transition(blocks([[None, self.mentions], [self.mentions.T, self.links]]))

    @property
    def bytes(self) -> int:
        """The memory of the matrices made so far; the ids come on top, some 150 bytes each."""
        matrices = [self.mentions, self.links, *(self.__dict__.get(name) for name in DERIVED)]
        return sum(part.data.nbytes + part.indices.nbytes + part.indptr.nbytes for part in matrices if part is not None)


def project(queries: PageRankQueries, version: Version) -> Projection:
    """Export the graph as it is now; ``version`` was read before.

    Raises:
        InputError: the graph is too large to be held in memory.
    """
    if version.triples > MOST_TRIPLES:
        raise InputError(
            f"the graph has {version.triples:,} triples, and PageRank works in memory on {MOST_TRIPLES:,} at most: "
            "search with the retriever naive"
        )
    passages: list[str] = []
    edges = _Edges()
    owners = array("i")
    for passage, facts in queries.facts():
        owners.extend([len(passages)] * len(facts))
        passages.append(passage)
        for head, tail in facts:
            edges.add(head, tail, 1.0)
    entities = edges.places
    both = np.concatenate([np.asarray(owners), np.asarray(owners)])
    shape = (len(passages), len(entities))
    mentions = matrix(both, np.concatenate([edges.heads, edges.tails]), np.ones(both.size), shape=shape)
    for first, second, score in queries.synonyms():
        # An entity without triples leads nowhere.
        if first in entities and second in entities:
            edges.add(first, second, score)
    return Projection(version, tuple(passages), entities, mentions, edges.symmetric())


@dataclass(frozen=True, slots=True)
class _Edges:
    """Edges as they come in: numbers in arrays, each node's id once."""

    places: dict[str, int] = field(default_factory=dict)
    heads: "array[int]" = field(default_factory=lambda: array("i"))
    tails: "array[int]" = field(default_factory=lambda: array("i"))
    weights: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, head: str, tail: str, weight: float) -> None:
        self.heads.append(self.places.setdefault(head, len(self.places)))
        self.tails.append(self.places.setdefault(tail, len(self.places)))
        self.weights.append(weight)

    def symmetric(self) -> Matrix:
        """Both directions of each edge; an edge from an entity to itself leads nowhere and is left out."""
        head, tail, weight = np.asarray(self.heads), np.asarray(self.tails), np.asarray(self.weights)
        apart = head != tail
        head, tail, weight = head[apart], tail[apart], np.tile(weight[apart], 2)
        rows, columns = np.concatenate([head, tail]), np.concatenate([tail, head])
        return matrix(rows, columns, weight, shape=(len(self.places), len(self.places)))


class Projections:
    """The projection of one database, kept until the graph changes; threads may share it."""

    def __init__(self, queries: PageRankQueries) -> None:
        self._kept = Versioned(lambda version: project(queries, version), version=queries.version)

    def current(self) -> Projection:
        """The projection of the graph as it is now: one round trip where it is kept, else an queries.

        Raises:
            InputError: the graph is too large to be held in memory.
        """
        return self._kept.current()
