"""Personalised PageRank over the part of a graph around its seeds, which grows where most of the mass waits.

After the push method of Andersen, Chung and Lang (FOCS 2006): mass waits at a node until its edges are known, and each
round reads the edges of the nodes with most waiting mass. Between two rounds, the mass spreads over all known edges,
instead of one push per node.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from gear_neo4j.graph.read.adjacency import Adjacency, Node, NodeEdges
from gear_neo4j.retrieval.walk.pagerank import Weights

Indexes = npt.NDArray[np.int64]
# The total change of mass at which spreading ends; between two rounds a rough value is enough.
TOLERANCE = 1e-6
ROUGHLY = 1e-3
SPREADS = 100
# Maximum share of the mass that may still wait at the end.
WAITING = 0.01
# Reads the edges of passages (ids) and entities (element ids).
Read = Callable[[Sequence[str], Sequence[str]], Adjacency]


class LocalGraph:
    """The part of a graph that a walk has met: its nodes by index, and the edges of those that were read.

    ``exact`` is False after a hub, whose edges are not all known. ``nodes`` says by index whether a node is a passage,
    and its id.
    """

    def __init__(self) -> None:
        self.passages: dict[str, int] = {}
        self.entities: dict[str, int] = {}
        self.exact = True
        self.nodes: list[Node] = []
        self._read: list[bool] = []
        self._heads = array("q")
        self._tails = array("q")
        self._shares = array("d")

    @property
    def edges(self) -> tuple[Indexes, Indexes, Weights]:
        """The known edges: the node at which each begins, the one at which it ends, and its share of the walk."""
        shares = np.array(self._shares, dtype=np.float64)
        return np.array(self._heads, dtype=np.int64), np.array(self._tails, dtype=np.int64), shares

    def passage(self, id: str) -> int:
        """The index of a passage; adds it if it is new."""
        return self._index(self.passages, id, is_passage=True)

    def entity(self, id: str) -> int:
        """The index of an entity, by element id; adds it if it is new."""
        return self._index(self.entities, id, is_passage=False)

    def neighbours(self, indexes: Iterable[int]) -> dict[int, set[int]]:
        """For each node, those that a known edge connects with it."""
        heads, tails, _ = self.edges
        return {index: {*tails[heads == index].tolist(), *heads[tails == index].tolist()} for index in indexes}

    def _index(self, indexes: dict[str, int], id: str, *, is_passage: bool) -> int:
        if id not in indexes:
            indexes[id] = len(self.nodes)
            self.nodes.append((is_passage, id))
            self._read.append(False)
        return indexes[id]

    def add(self, edges: Adjacency) -> None:
        """Add the edges of some nodes, unless they are known."""
        for id, of in edges.passages.items():
            self._link(self.passage(id), of)
        for id, of in edges.entities.items():
            self._link(self.entity(id), of)

    def _link(self, index: int, edges: NodeEdges) -> None:
        if self._read[index]:
            return
        self._read[index] = True
        self.exact = self.exact and edges.whole
        ends = [(self.passage(id), weight) for id, weight in edges.passages.items()]
        ends += [(self.entity(id), weight) for id, weight in edges.entities.items()]
        self._heads.extend([index] * len(ends))
        self._tails.extend(end for end, _ in ends)
        self._shares.extend(weight / edges.weight for _, weight in ends)

    def waiting(self, mass: Weights, *, most: int) -> tuple[list[str], list[str]]:
        """The unread passages and entities with most mass; empty if little mass waits."""
        unread = np.flatnonzero(~np.array(self._read, dtype=bool))
        if mass[unread].sum() <= WAITING * mass.sum():
            return [], []
        chosen = [self.nodes[index] for index in unread[np.argsort(-mass[unread], kind="stable")][:most].tolist()]
        return [id for is_passage, id in chosen if is_passage], [id for is_passage, id in chosen if not is_passage]

    def spread(
        self, start: Mapping[int, float], *, damping: float, before: Weights | None = None, tolerance: float = TOLERANCE
    ) -> Weights:
        """The mass at each node, shape (nodes,), in proportion to PageRank over the known edges.

        Starts from the mass ``before`` the last edges were added, if given.

        No mass returns to the seeds, neither by teleportation nor from nodes without edges: that would only change the
        scale.
        """
        size = len(self.nodes)
        first = np.zeros(size)
        first[list(start)] = list(start.values())
        heads, tails, shares = self.edges
        shares = damping * shares
        mass = first.copy()
        if before is not None:
            mass[: before.size] = before
        for _ in range(SPREADS):
            moved = first + np.bincount(tails, weights=shares * mass[heads], minlength=size)
            change = float(np.abs(moved - mass).sum())
            mass = moved
            if change <= tolerance * float(first.sum()):
                break
        return mass


def local_pagerank(
    graph: LocalGraph, start: Mapping[int, float], *, read: Read, damping: float, rounds: int, frontier: int
) -> Weights:
    """The mass at each node of a graph, shape (nodes,), after it has grown around its seeds.

    Args:
        start: the weights of the seeds, by their indexes.
        read: called at most ``rounds`` times, each time for at most ``frontier`` nodes.

    Raises:
        ValueError: a weight is below 0, or all are 0.

    Example:
        >>> edges = {"a": NodeEdges({"p": 1.0}, {}, 1.0)}
        >>> graph = LocalGraph()
        >>> read = lambda passages, entities: Adjacency({}, {id: edges[id] for id in entities})
        >>> local_pagerank(graph, {graph.entity("a"): 1.0}, read=read, damping=0.5, rounds=1, frontier=10).tolist()
        [1.0, 0.5]
    """
    if not start or min(start.values()) < 0 or not any(start.values()):
        raise ValueError("PageRank needs a seed of weight above 0, and none below")
    mass = graph.spread(start, damping=damping, tolerance=ROUGHLY)
    for _ in range(rounds):
        passages, entities = graph.waiting(mass, most=frontier)
        if not (passages or entities):
            break
        graph.add(read(passages, entities))
        mass = graph.spread(start, damping=damping, before=mass, tolerance=ROUGHLY)
    return graph.spread(start, damping=damping, before=mass)
