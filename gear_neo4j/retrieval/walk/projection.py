"""The graph as sparse matrices: exported once, cached in memory, and exported again after the graph changes."""

from array import array
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gear_neo4j.errors import InputError
from gear_neo4j.graph.read.memory import UNLIMITED, Memory, Need, Weight
from gear_neo4j.graph.read.pagerank_queries import PageRankQueries, Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.retrieval.walk.pagerank import Matrix, Weights, blocks, matrix, transition

# Measured: 350 bytes per triple, 490 during the export, so that this many take about a gigabyte.
MOST_TRIPLES = 2_000_000
# Bytes of a triple with the matrices that are derived later, and of an id in a list and an index.
TRIPLE, ID = 500, 150
DERIVED = ("phrase_transition", "transition_matrix", "weighted_transition")


@dataclass(frozen=True, eq=False)
class Projection:
    """One version of the graph: passages and entities by index, and the weights between them.

    ``mentions`` holds the number of triples of a passage that begin or end in an entity, shape (passages, entities);
    ``links`` the number of triples between two entities plus the scores of their synonym edges, symmetric, shape
    (entities, entities). It contains no texts and no vectors.
    """

    version: Version
    passages: tuple[str, ...]
    entities: dict[str, int]
    mentions: Matrix
    links: Matrix
    passage_index: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "passage_index", {id: index for index, id in enumerate(self.passages)})

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
        """The same, with the edge from a passage to an entity weighted by the number of its triples with the entity."""
        return transition(blocks([[None, self.mentions], [self.mentions.T, self.links]]))

    @property
    def bytes(self) -> int:
        """The memory of the matrices made so far, without the ids, which take some 150 bytes each."""
        matrices = [self.mentions, self.links, *(self.__dict__.get(name) for name in DERIVED)]
        return sum(part.data.nbytes + part.indices.nbytes + part.indptr.nbytes for part in matrices if part is not None)


def _size(made: Projection) -> int:
    """About the memory of a projection with all matrices that will be derived of it."""
    return (1 + len(DERIVED)) * made.bytes + ID * (2 * len(made.passages) + len(made.entities))


def project(queries: PageRankQueries, version: Version) -> Projection:
    """Export the current graph; ``version`` must be read first.

    Raises:
        InputError: the graph is too large to hold in memory.
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
    entities = edges.indexes
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
    """A growing list of edges in arrays, with an index for each node."""

    indexes: dict[str, int] = field(default_factory=dict)
    heads: "array[int]" = field(default_factory=lambda: array("i"))
    tails: "array[int]" = field(default_factory=lambda: array("i"))
    weights: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, head: str, tail: str, weight: float) -> None:
        self.heads.append(self.indexes.setdefault(head, len(self.indexes)))
        self.tails.append(self.indexes.setdefault(tail, len(self.indexes)))
        self.weights.append(weight)

    def symmetric(self) -> Matrix:
        """Both directions of each edge; an edge from an entity to itself leads nowhere and is left out."""
        head, tail, weight = np.asarray(self.heads), np.asarray(self.tails), np.asarray(self.weights)
        apart = head != tail
        head, tail, weight = head[apart], tail[apart], np.tile(weight[apart], 2)
        rows, columns = np.concatenate([head, tail]), np.concatenate([tail, head])
        return matrix(rows, columns, weight, shape=(len(self.indexes), len(self.indexes)))


class Projections:
    """The projection of one database, cached until the graph changes; threads may share it."""

    def __init__(self, queries: PageRankQueries, *, memory: Memory = UNLIMITED) -> None:
        def need(version: Version) -> Need:
            extent = queries.extent(version)
            ids = 2 * extent.passages + extent.names
            return Need(TRIPLE * extent.triples + ID * ids, f"PageRank over {extent.triples:,} triples")

        self._kept = Versioned(
            lambda version: project(queries, version),
            version=queries.version,
            weight=Weight(memory, need, _size),
        )

    def current(self) -> Projection:
        """The projection of the current graph: one round trip if it is cached, else an export.

        Raises:
            InputError: the graph is too large to hold in memory.
        """
        return self._kept.current()
