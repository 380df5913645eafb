"""Describes patterns for people: *Movie ←acted in— Person (name is Tom Hanks)*."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.read.graph_schema import GraphSchema, Kind
from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.retrieval.patterns.aggregation import Aggregation
from gear_neo4j.retrieval.patterns.condition import Bound, Condition, is_count
from gear_neo4j.retrieval.patterns.cypher import FIRST_DAY, FIRST_MONTH
from gear_neo4j.retrieval.patterns.pattern import Constraint, Pattern

LONGEST_VALUE = 60
_OPERATORS = {"is": "is", "other": "is not", "contains": "contains", "starts": "starts with", "ends": "ends with"}
_COMPARED = {
    "=": "is",
    "<>": "is not",
    ">": "above",
    ">=": "at least",
    "<": "below",
    "<=": "at most",
    "%": "divisible by",
}


def description(pattern: Pattern, target: int, schema: GraphSchema) -> str:
    """A pattern in words, from its answer outwards; a node with several branches is repeated for each."""
    return "; ".join(_Description(pattern, schema).chains(target))


def counted(pattern: Pattern, target: int, wanted: Aggregation) -> str:
    """The noun for what a figure counts; empty if it counts no nodes or values."""
    if not pattern.measures:
        return words(pattern.labels[target])
    measure = pattern.measures[0]
    if is_count(measure.condition):
        return words(pattern.labels[measure.index]) if measure in pattern.on_nodes else ""
    return words(measure.condition.property) if wanted.function == "count" else ""


@dataclass(frozen=True, slots=True)
class _Description:
    pattern: Pattern
    schema: GraphSchema

    def chains(self, node: int, behind: int | None = None, text: str = "") -> Iterator[str]:
        """The chains from a node to each end; ``text`` leads to the node by the edge ``behind``."""
        text += self._with_conditions(self.pattern.labels[node], self.pattern.on_nodes, node)
        onwards = [way for way in self.pattern.ways[node] if way[0] != behind]
        if not onwards:
            yield text
        for index, end, forward in onwards:
            yield from self.chains(end, index, f"{text} {self._arrows(index, forward)} ")
            text = self.pattern.labels[node]

    def _arrows(self, index: int, forward: bool) -> str:
        """The relationships of an edge, which is stored ``forward`` or against the reader's direction."""
        edge = self.pattern.edges[index]
        said = self._with_conditions(words(edge.type), self.pattern.on_edges, index)
        arrows = [f"—{said}—" if edge.mutual else _arrow(said, forward)]
        for parallel in self.pattern.parallels:
            if parallel.edge == index:
                along = forward if parallel.forward == edge.forward else not forward
                arrows.append(_arrow(words(parallel.type), along))
        return " and ".join(arrows)

    def _with_conditions(self, text: str, constraints: Sequence[Constraint], index: int) -> str:
        said = [self._condition(constraint.condition) for constraint in constraints if constraint.index == index]
        return f"{text} ({', '.join(said)})" if said else text

    def _condition(self, condition: Condition) -> str:
        name = words(condition.property)
        if condition.operator == "absent":
            to = f" {_shortened(condition.to.texts[0])}" if condition.to else ""
            return f"without {words(condition.texts[0])}{to}"
        if condition.operator == "flag":
            return name if condition.flag else f"not {name}"
        if condition.operator in ("compare", "measure"):
            kind = self.schema.properties(condition.owner)[condition.property].kind if name else "number"
            bounds = " and ".join(_bound(bound, kind=kind) for bound in condition.bounds)
            measure = f"by {name}" if name else "counted"
            return " ".join(filter(None, (measure if condition.operator == "measure" else name, bounds)))
        return f"{name} {_OPERATORS[condition.operator]} {_shortened(condition.texts[0])}"


def _arrow(text: str, forward: bool) -> str:
    return f"—{text}→" if forward else f"←{text}—"


def _bound(bound: Bound, *, kind: Kind) -> str:
    comparison, value = bound
    number = str(int(value)) if value.is_integer() else str(value)
    if kind == "time":
        number = f"{int(value) // 100:02}:{int(value) % 100:02}"
    elif kind == "date" and value >= FIRST_DAY:
        number = f"{number[:4]}-{number[4:6]}-{number[6:]}"
    elif kind == "date" and value >= FIRST_MONTH:
        number = f"{number[:4]}-{number[4:]}"
    return f"{_COMPARED[comparison]} {number}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
