"""A pattern: a small tree of labels and relationship types with conditions; one of its nodes is the answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.retrieval.patterns.condition import Condition


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship between two nodes of a pattern, by their indexes; ``forward`` if stored from start to end.

    A ``mutual`` one may be stored in either direction.
    """

    start: int
    end: int
    type: str
    forward: bool
    mutual: bool = False

    @property
    def backward(self) -> bool:
        """Whether it is stored from end to start, or may be."""
        return self.mutual or not self.forward


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the node or edge at an index of a pattern, and the literal of the question that states it."""

    index: int
    condition: Condition
    literal: int

    @property
    def colour(self) -> int:
        """A number for what is stated, whichever node or edge it holds for."""
        return hash((self.literal, self.condition.property, self.condition.texts))


@dataclass(frozen=True, slots=True)
class Parallel:
    """A second relationship between the two nodes of an edge: who directed a film and acted in it."""

    edge: int
    type: str
    forward: bool


@dataclass(frozen=True)
class Pattern:
    """Nodes by their labels, edges between them, and conditions; every node but the first is the end of one edge.

    If it ``revisits``, one relationship may be matched by two edges: the children of Ann's husband's wife are Ann's.
    """

    labels: tuple[str, ...]
    edges: tuple[Edge, ...] = ()
    on_nodes: tuple[Constraint, ...] = ()
    on_edges: tuple[Constraint, ...] = ()
    parallels: tuple[Parallel, ...] = ()
    revisits: bool = False

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """All conditions."""
        return self.on_nodes + self.on_edges

    @cached_property
    def measures(self) -> tuple[Constraint, ...]:
        """What an aggregation measures; empty for a pattern that only lists its nodes."""
        return tuple(constraint for constraint in self.constraints if constraint.condition.operator == "measure")

    def picked(self, label: str, target: int) -> int | None:
        """The node of a label that the measure orders, if it is not the answer; None if there is none.

        It has the measured property, or is next to what is counted.
        """
        if not (label and self.measures):
            return None
        measure = self.measures[0]
        if measure in self.on_edges:
            near = [self.edges[measure.index].start, self.edges[measure.index].end]
        elif measure.condition.property:
            near = [measure.index]
        else:
            near = [end for _, end, _ in self.ways[measure.index]]
        return next((node for node in near if self.labels[node] == label and node != target), None)

    @cached_property
    def contradicts_itself(self) -> bool:
        """Whether a node has a relationship that a condition excludes."""
        return any(
            constraint.condition.operator == "absent"
            and constraint.condition.to is None
            and self.edges[edge].type in constraint.condition.texts
            for constraint in self.on_nodes
            for edge, _, _ in self.ways[constraint.index]
        )

    @cached_property
    def edge_types(self) -> Mapping[str, int]:
        """The number of edges of each type."""
        counts: dict[str, int] = {}
        for edge in self.edges:
            counts[edge.type] = counts.get(edge.type, 0) + 1
        return counts

    @cached_property
    def types(self) -> Mapping[str, int]:
        """The number of relationships of each type, including the parallel ones."""
        counts = dict(self.edge_types)
        for parallel in self.parallels:
            counts[parallel.type] = counts.get(parallel.type, 0) + 1
        return counts

    def without_measures(self) -> Self:
        """The same pattern, which only lists its nodes."""
        on_nodes, on_edges = (
            tuple(constraint for constraint in constraints if constraint not in self.measures)
            for constraints in (self.on_nodes, self.on_edges)
        )
        return replace(self, on_nodes=on_nodes, on_edges=on_edges)

    @cached_property
    def ways(self) -> tuple[tuple[tuple[int, int, bool], ...], ...]:
        """For each node its edges, each with the node at the other end and whether it is stored in that direction."""
        ways: list[list[tuple[int, int, bool]]] = [[] for _ in self.labels]
        for index, edge in enumerate(self.edges):
            ways[edge.start].append((index, edge.end, edge.forward))
            ways[edge.end].append((index, edge.start, edge.backward))
        return tuple(map(tuple, ways))

    @cached_property
    def form(self) -> int:
        """A number that two patterns share if they differ only in the order of their nodes.

        Computed by colour refinement, which distinguishes all trees: the colour of a node depends on its neighbours'.
        """
        colours = [hash(label) for label in self.labels]
        for constraint in self.on_nodes:
            colours[constraint.index] += constraint.colour
        from_start, from_end = self._edge_colours()
        for _ in self.edges:
            neighbours: list[list[int]] = [[] for _ in colours]
            for index, edge in enumerate(self.edges):
                neighbours[edge.start].append(hash((from_start[index], colours[edge.end])))
                neighbours[edge.end].append(hash((from_end[index], colours[edge.start])))
                # Sorted, not added up: sums of hashes collide.
            colours = [hash((own, *sorted(of))) for own, of in zip(colours, neighbours, strict=True)]
        return hash(tuple(sorted(colours)))

    def _edge_colours(self) -> tuple[list[int], list[int]]:
        """The colour of each edge as seen from its start, and as seen from its end."""
        from_start = [hash((edge.type, edge.forward)) for edge in self.edges]
        from_end = [hash((edge.type, edge.backward)) for edge in self.edges]
        for parallel in self.parallels:
            from_start[parallel.edge] += hash((parallel.type, parallel.forward))
            from_end[parallel.edge] += hash((parallel.type, not parallel.forward))
        for constraint in self.on_edges:
            from_start[constraint.index] += constraint.colour
            from_end[constraint.index] += constraint.colour
        return from_start, from_end

    def is_part_of(self, other: "Pattern") -> bool:
        """Whether another pattern asks for everything that this one asks for: if this one has no nodes, nor has that.

        Example:
            >>> films = Pattern(("Person", "Film"), (Edge(0, 1, "WROTE", True),))
            >>> studios = Pattern(("Studio", "Film", "Person"), (Edge(1, 0, "BY", True), Edge(1, 2, "WROTE", False)))
            >>> films.is_part_of(studios), studios.is_part_of(films)
            (True, False)
        """
        if len(self.edges) > len(other.edges) or self.parallels or other.parallels:
            return self == other
        return any(self._fits(other, {0: node}, frozenset()) for node in range(len(other.labels)))

    def _fits(self, other: "Pattern", matched: Mapping[int, int], used: frozenset[int]) -> bool:
        """Whether nodes are like those of another pattern that they are matched with, and the rest can be matched."""
        if not all(self._like(other, mine, theirs) for mine, theirs in matched.items()):
            return False
        edge = len(used)
        if edge == len(self.edges):
            return True
        mine = self.edges[edge]
        stated = _stated(self.on_edges, edge)
        return any(
            self._fits(other, {**matched, mine.end: end}, used | {theirs})
            for theirs, end, forward in other.ways[matched[mine.start]]
            if theirs not in used
            and (other.edges[theirs].type, forward) == (mine.type, mine.forward)
            and stated <= _stated(other.on_edges, theirs)
        )

    def _like(self, other: "Pattern", mine: int, theirs: int) -> bool:
        same_label = self.labels[mine] == other.labels[theirs]
        return same_label and _stated(self.on_nodes, mine) <= _stated(other.on_nodes, theirs)

    def wording(self, target: int) -> str:
        """The pattern in words, from a node outwards, to be compared with a question.

        Example:
            >>> Pattern(("Film", "Person"), (Edge(0, 1, "WRITTEN_BY", True),)).wording(1)
            'which person, film written by person'
        """
        return ", ".join([f"which {words(self.labels[target])}", *self._phrases(target, None)])

    def _phrases(self, node: int, behind: int | None) -> Iterator[str]:
        if conditions := self._conditions(self.on_nodes, node):
            yield f"{words(self.labels[node])} with {conditions}"
        for index, end, forward in self.ways[node]:
            if index != behind:
                start, stop = (node, end) if forward else (end, node)
                phrase = f"{words(self.labels[start])} {words(self.edges[index].type)} {words(self.labels[stop])}"
                yield " ".join(filter(None, (phrase, self._conditions(self.on_edges, index))))
                yield from self._phrases(end, index)

    def _conditions(self, constraints: tuple[Constraint, ...], index: int) -> str:
        return " ".join(_said(constraint.condition) for constraint in constraints if constraint.index == index)


def _stated(constraints: tuple[Constraint, ...], index: int) -> frozenset[Condition]:
    return frozenset(constraint.condition for constraint in constraints if constraint.index == index)


def _said(condition: Condition) -> str:
    if condition.operator == "absent":
        return f"no {words(condition.texts[0])}"
    negation = "not " if condition.operator == "other" else ""
    return f"{words(condition.property or 'number')} {negation}X"
