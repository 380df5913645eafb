"""A pattern: a small tree of labels and relationship types with conditions, one of its nodes the answer."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from gear_neo4j.graph.typegraph import words
from gear_neo4j.retrieval.patterns.conditions import Condition


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship between two nodes of a pattern, by their places; ``forward`` if it is stored from start to end."""

    start: int
    end: int
    type: str
    forward: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """A condition at a node or an edge, by its place, and the literal of the question that states it."""

    place: int
    condition: Condition
    literal: int


@dataclass(frozen=True, slots=True)
class Parallel:
    """A second relationship between the two nodes of an edge: who directed a film and acted in the same."""

    edge: int
    type: str
    forward: bool


@dataclass(frozen=True)
class Pattern:
    """Nodes by their labels, edges between them, and conditions; every node but the first is the end of one edge."""

    labels: tuple[str, ...]
    edges: tuple[Edge, ...] = ()
    on_nodes: tuple[Placed, ...] = ()
    on_edges: tuple[Placed, ...] = ()
    parallels: tuple[Parallel, ...] = ()

    @property
    def placed(self) -> tuple[Placed, ...]:
        """All conditions."""
        return self.on_nodes + self.on_edges

    @cached_property
    def measures(self) -> tuple[Placed, ...]:
        """What an aggregation is over; empty for a pattern that only lists its nodes."""
        return tuple(placed for placed in self.placed if placed.condition.operator == "measure")

    def without_measures(self) -> Self:
        """The same pattern, of which only the nodes are wanted."""
        kept = [tuple(placed for placed in of if placed not in self.measures) for of in (self.on_nodes, self.on_edges)]
        return replace(self, on_nodes=kept[0], on_edges=kept[1])

    @cached_property
    def ways(self) -> tuple[tuple[tuple[int, int, bool], ...], ...]:
        """For each node its edges, each with the node at the other end and whether it is stored in that direction."""
        ways: list[list[tuple[int, int, bool]]] = [[] for _ in self.labels]
        for place, edge in enumerate(self.edges):
            ways[edge.start].append((place, edge.end, edge.forward))
            ways[edge.end].append((place, edge.start, not edge.forward))
        return tuple(map(tuple, ways))

    @cached_property
    def form(self) -> tuple[object, ...]:
        """The same for two patterns that differ only in the order of their nodes."""
        nodes: list[list[str]] = [[] for _ in self.labels]
        edges: list[list[str]] = [[] for _ in self.edges]
        for placed in self.on_nodes:
            nodes[placed.place].append(f"{placed.literal} {placed.condition.property}")
        for placed in self.on_edges:
            edges[placed.place].append(f"{placed.literal} {placed.condition.property}")

        def seen_from(node: int, behind: int | None) -> tuple[object, ...]:
            branches = sorted(
                (tuple(sorted(self._types(place, forward))), tuple(sorted(edges[place])), seen_from(end, place))
                for place, end, forward in self.ways[node]
                if place != behind
            )
            return (self.labels[node], tuple(sorted(nodes[node])), tuple(branches))

        # Seen from the node that is first by what stands at it alone; of equals, the view that comes first.
        alone = [
            (self.labels[node], len(self.ways[node]), tuple(sorted(nodes[node]))) for node in range(len(self.labels))
        ]
        return min(seen_from(node, None) for node, own in enumerate(alone) if own == min(alone))

    def _types(self, edge: int, forward: bool) -> Iterator[tuple[str, bool]]:
        """The relationships between the two nodes of an edge, as seen from one of them."""
        yield self.edges[edge].type, forward
        for parallel in self.parallels:
            if parallel.edge == edge:
                yield parallel.type, parallel.forward == (self.edges[edge].forward == forward)

    def wording(self, target: int) -> str:
        """The pattern in words, from a node outwards: what is compared with a question.

        Example:
            >>> Pattern(("Film", "Person"), (Edge(0, 1, "WRITTEN_BY", True),)).wording(1)
            'which person, film written by person'
        """
        return ", ".join([f"which {words(self.labels[target])}", *self._phrases(target, None)])

    def _phrases(self, node: int, behind: int | None) -> Iterator[str]:
        if conditions := self._conditions(self.on_nodes, node):
            yield f"{words(self.labels[node])} with {conditions}"
        for place, end, forward in self.ways[node]:
            if place != behind:
                start, stop = (node, end) if forward else (end, node)
                phrase = f"{words(self.labels[start])} {words(self.edges[place].type)} {words(self.labels[stop])}"
                yield " ".join(filter(None, (phrase, self._conditions(self.on_edges, place))))
                yield from self._phrases(end, place)

    def _conditions(self, conditions: tuple[Placed, ...], place: int) -> str:
        return " ".join(_said(placed.condition) for placed in conditions if placed.place == place)


def _said(condition: Condition) -> str:
    if condition.operator == "absent":
        return f"no {words(condition.texts[0])}"
    return f"{words(condition.property or 'number')} X"
