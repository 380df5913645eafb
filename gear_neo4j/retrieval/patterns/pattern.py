"""A pattern: a small tree of labels and relationship types with conditions, one of its nodes the answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from gear_neo4j.graph.read.typegraph import words
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

    @property
    def colour(self) -> int:
        """A number for what is stated, wherever it is placed."""
        return hash((self.literal, self.condition.property, self.condition.texts))


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

    @cached_property
    def contradicts_itself(self) -> bool:
        """Whether a node has a relationship that it must not have."""
        return any(
            placed.condition.operator == "absent" and self.edges[edge].type in placed.condition.texts
            for placed in self.on_nodes
            for edge, _, _ in self.ways[placed.place]
        )

    @cached_property
    def edge_types(self) -> Mapping[str, int]:
        """How many edges there are of each type."""
        counts: dict[str, int] = {}
        for edge in self.edges:
            counts[edge.type] = counts.get(edge.type, 0) + 1
        return counts

    @cached_property
    def types(self) -> Mapping[str, int]:
        """How many relationships there are of each type, the parallel ones among them."""
        counts = dict(self.edge_types)
        for parallel in self.parallels:
            counts[parallel.type] = counts.get(parallel.type, 0) + 1
        return counts

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
    def form(self) -> int:
        """A number that two patterns share if they differ only in the order of their nodes.

        By colour refinement, which tells all trees apart: each node's colour takes in those of its neighbours.
        """
        colours = [hash(label) for label in self.labels]
        for placed in self.on_nodes:
            colours[placed.place] += placed.colour
        from_start, from_end = self._edge_colours()
        for _ in self.edges:
            neighbours: list[list[int]] = [[] for _ in colours]
            for place, edge in enumerate(self.edges):
                neighbours[edge.start].append(hash((from_start[place], colours[edge.end])))
                neighbours[edge.end].append(hash((from_end[place], colours[edge.start])))
            # Sorted, not added up: sums of hashes collide.
            colours = [hash((own, *sorted(of))) for own, of in zip(colours, neighbours, strict=True)]
        return hash(tuple(sorted(colours)))

    def _edge_colours(self) -> tuple[list[int], list[int]]:
        """The colour of each edge as seen from its start, and as seen from its end."""
        from_start = [hash((edge.type, edge.forward)) for edge in self.edges]
        from_end = [hash((edge.type, not edge.forward)) for edge in self.edges]
        for parallel in self.parallels:
            from_start[parallel.edge] += hash((parallel.type, parallel.forward))
            from_end[parallel.edge] += hash((parallel.type, not parallel.forward))
        for placed in self.on_edges:
            from_start[placed.place] += placed.colour
            from_end[placed.place] += placed.colour
        return from_start, from_end

    def is_part_of(self, other: "Pattern") -> bool:
        """Whether all that it asks for is asked for by another pattern, too: where it has no nodes, nor has the other.

        Example:
            >>> films = Pattern(("Person", "Film"), (Edge(0, 1, "WROTE", True),))
            >>> studios = Pattern(("Studio", "Film", "Person"), (Edge(1, 0, "BY", True), Edge(1, 2, "WROTE", False)))
            >>> films.is_part_of(studios), studios.is_part_of(films)
            (True, False)
        """
        if len(self.edges) > len(other.edges) or self.parallels or other.parallels:
            return self == other
        return any(self._fits(other, {0: node}, frozenset()) for node in range(len(other.labels)))

    def _fits(self, other: "Pattern", places: Mapping[int, int], used: frozenset[int]) -> bool:
        """Whether the nodes that have places in another pattern are like those there, and the rest can be placed."""
        if not all(self._like(other, node, place) for node, place in places.items()):
            return False
        edge = len(used)
        if edge == len(self.edges):
            return True
        mine = self.edges[edge]
        stated = _stated(self.on_edges, edge)
        return any(
            self._fits(other, {**places, mine.end: end}, used | {theirs})
            for theirs, end, forward in other.ways[places[mine.start]]
            if theirs not in used
            and (other.edges[theirs].type, forward) == (mine.type, mine.forward)
            and stated <= _stated(other.on_edges, theirs)
        )

    def _like(self, other: "Pattern", node: int, place: int) -> bool:
        same_label = self.labels[node] == other.labels[place]
        return same_label and _stated(self.on_nodes, node) <= _stated(other.on_nodes, place)

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


def _stated(placed: tuple[Placed, ...], place: int) -> frozenset[Condition]:
    return frozenset(one.condition for one in placed if one.place == place)


def _said(condition: Condition) -> str:
    if condition.operator == "absent":
        return f"no {words(condition.texts[0])}"
    negation = "not " if condition.operator == "other" else ""
    return f"{words(condition.property or 'number')} {negation}X"
