"""Writes a pattern as one MATCH on the user's own labels, types and properties; no other module writes Cypher.

Identifiers come only from the schema, and one function quotes them; everything else is a parameter.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from gear_neo4j.domain import Cypher
from gear_neo4j.graph.read.graph_schema import GraphSchema, PropertySchema, can_be_written, parts_of
from gear_neo4j.graph.read.typegraph import spoken, words
from gear_neo4j.retrieval.patterns.aggregation import LISTED, Aggregation
from gear_neo4j.retrieval.patterns.condition import Bound, Condition, is_count
from gear_neo4j.retrieval.patterns.pattern import Constraint, Pattern

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_VARIABLE = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
# Labels that Cypher would read as a keyword or as another variable.
_TAKEN = frozenset(
    """
    all and any as asc by call case contains count create delete denied desc distinct else end ends exists false
    foreach id in index is labels limit load match merge name none not null on or order remove return set single skip
    starts then true union unwind using value ways when where with xor yield
    """.split()  # noqa: SIM905
)
# Maximum number of rows that a pattern of several relationships reads before its nodes are counted.
MOST_ROWS = 20_000
# At or above these numbers, a date has a month, and a day.
FIRST_MONTH, FIRST_DAY = 10_000, 1_000_000
# Element ids of named nodes, by their index in a pattern: the graph then needs no index on names.
Anchors = Mapping[int, Sequence[str]]
NO_ANCHORS: Anchors = MappingProxyType({})
# Quantities that add up over relationships or nodes; of ratings and prices the highest counts.
_AMOUNTS = frozenset(
    """
    amount amounts count hours minutes number quantities quantity sales sold stock total units visits volume votes
    """.split()  # noqa: SIM905
)
_COMPARED = {"is": "IN", "other": "IN", "contains": "CONTAINS", "starts": "STARTS WITH", "ends": "ENDS WITH"}


def quoted(name: str) -> str:
    """A label, type or property as an identifier.

    Raises:
        ValueError: it cannot be quoted safely; no schema read from a graph contains such a name.

    Example:
        >>> quoted("Film"), quoted("Kind of `thing`")
        ('Film', '`Kind of ``thing```')
    """
    if not can_be_written(name):
        raise ValueError(f"the name {name!r} cannot be written in a query")
    return name if _PLAIN.fullmatch(name) else f"`{name.replace('`', '``')}`"


class Compiler:
    """Writes the patterns of one schema."""

    def __init__(self, schema: GraphSchema) -> None:
        self.schema = schema

    def called(self, label: str, name: str | None) -> str:
        """The display name of a node: its name, or its label, followed by its key if it has one."""
        if name and label not in self.schema.keyed:
            return name
        return f"{spoken(label)} {name}" if name else spoken(label)

    def shown(
        self,
        pattern: Pattern,
        target: int,
        *,
        limit: int,
        aggregation: Aggregation = LISTED,
        anchors: Anchors = NO_ANCHORS,
        bounded: bool = False,
    ) -> Cypher:
        """The query to display: the nodes of the answer, ordered by their measure or by the number of matches."""
        body = _Body(pattern, self.schema, anchors)
        node = body.variables[target]
        lines = [body.text, *_bound(node, bounded), *body.measured(target, aggregation)]
        lines += body.picked(target, aggregation)
        asked = _asked(pattern.labels[target], node, aggregation)
        projected = f"{asked} AS asked" if asked else _projected(pattern)
        lines += [f"RETURN {node}, {projected}", *_ordered(pattern, node, aggregation, limit)]
        return Cypher("\n".join(lines), body.parameters)

    def run(
        self,
        pattern: Pattern,
        target: int,
        *,
        limit: int,
        aggregation: Aggregation = LISTED,
        anchors: Anchors = NO_ANCHORS,
    ) -> Cypher:
        """The query to execute: it returns the id, labels, name, value, measure and number of matches of each node."""
        body = _Body(pattern, self.schema, anchors)
        node = body.variables[target]
        called = _called(node, self.schema.names.get(pattern.labels[target]))
        lines = [body.text, *_bound(node, is_bounded(pattern)), *body.measured(target, aggregation)]
        lines += body.picked(target, aggregation)
        lines += [f"WITH {node}, {_projected(pattern)}", *_ordered(pattern, node, aggregation, limit)]
        measure, ways = ("value", "0") if pattern.measures else ("null", "ways")
        value = _asked(pattern.labels[target], node, aggregation) or measure
        columns = f"labels({node}) AS labels, {called} AS name, {value} AS value, {measure} AS measure, {ways} AS ways"
        lines.append(f"RETURN elementId({node}) AS id, {columns}")
        return Cypher("\n".join(lines), body.parameters)

    def figure(
        self, pattern: Pattern, target: int, aggregation: Aggregation, *, anchors: Anchors = NO_ANCHORS
    ) -> Cypher:
        """The query for one number over all nodes of the answer; its column is ``value``."""
        body = _Body(pattern, self.schema, anchors)
        return Cypher(f"{body.text}\n{body.figure(target, aggregation)}", body.parameters)


class _Body:
    """MATCH and WHERE of a pattern, with its variables and parameters."""

    def __init__(self, pattern: Pattern, schema: GraphSchema, anchors: Anchors = NO_ANCHORS) -> None:
        self.parameters: dict[str, object] = {}
        self.variables = _variables(pattern)
        self._pattern = pattern
        self._schema = schema
        sought = (f"elementId({self.variables[index]}) IN {self._parameter(ids)}" for index, ids in anchors.items())
        conditions = [*sought, *self._on_nodes(), *self._on_edges()]
        where = f"\nWHERE {' AND '.join(conditions)}" if conditions else ""
        # Within one MATCH, no relationship is matched twice.
        between = "\nMATCH " if pattern.revisits else ", "
        self.text = f"MATCH {between.join(self._parts())}{where}"

    def _parts(self) -> Iterator[str]:
        pattern = self._pattern
        nodes = [f"({name}:{quoted(label)})" for name, label in zip(self.variables, pattern.labels, strict=True)]
        if not pattern.edges:
            yield nodes[0]
        known: set[int] = set()
        stated = {constraint.index for constraint in pattern.on_edges}
        for index, edge in enumerate(pattern.edges):
            ends = [f"({self.variables[end]})" if end in known else nodes[end] for end in (edge.start, edge.end)]
            known |= {edge.start, edge.end}
            variable = f"r{index}" if index in stated else ""
            yield _arrow(ends[0], variable, edge.type, edge.forward, ends[1], mutual=edge.mutual)
            for parallel in pattern.parallels:
                if parallel.edge == index:
                    start, end = (f"({self.variables[end]})" for end in (edge.start, edge.end))
                    yield _arrow(start, "", parallel.type, parallel.forward, end)

    def _on_nodes(self) -> Iterator[str]:
        for constraint in self._pattern.on_nodes:
            if constraint.condition.operator != "measure":
                yield self._condition(self.variables[constraint.index], constraint.condition)

    def _on_edges(self) -> Iterator[str]:
        for constraint in self._pattern.on_edges:
            if constraint.condition.operator != "measure":
                yield self._condition(f"r{constraint.index}", constraint.condition)

    def measured(self, target: int, aggregation: Aggregation) -> Iterator[str]:
        """The clauses that compute the measure of each node; empty without a measure."""
        if not self._pattern.measures:
            return
        picked = self._pattern.picked(aggregation.picks, target)
        node = self.variables[target if picked is None else picked]
        constraint, variable = self._measure()
        if is_count(constraint.condition):
            yield f"WITH {node}, count(DISTINCT {variable}) AS value"
        elif variable == node:
            yield f"WITH DISTINCT {node}, {self._number(variable, constraint.condition)} AS value"
        else:
            function = _function(
                aggregation, constraint.condition.property, on_edge=constraint in self._pattern.on_edges
            )
            yield f"WITH DISTINCT {node}, {variable}"
            yield f"WITH {node}, {function}({self._number(variable, constraint.condition)}) AS value"
        bounds = self._compared("value", constraint.condition.bounds)
        yield "WHERE " + (" AND ".join(bounds) or "value IS NOT NULL")

    def picked(self, target: int, aggregation: Aggregation) -> Iterator[str]:
        """The clauses that choose the first node by the measure, and match the answer again from there."""
        picked = self._pattern.picked(aggregation.picks, target)
        if picked is None:
            return
        node = self.variables[picked]
        yield from (f"WITH {node}, value", *_ordered(self._pattern, node, aggregation, 1), self.text)
        yield f"WITH DISTINCT {self.variables[target]}, value"

    def figure(self, target: int, aggregation: Aggregation) -> str:
        """The clauses that return one number."""
        if not self._pattern.measures:
            return f"RETURN count(DISTINCT {self.variables[target]}) AS value"
        constraint, variable = self._measure()
        if is_count(constraint.condition):
            return f"RETURN count(DISTINCT {variable}) AS value"
        value = self._number(variable, constraint.condition)
        if aggregation.function == "count":
            return f"RETURN count(DISTINCT {value}) AS value"
        function = _function(aggregation, constraint.condition.property, on_edge=constraint in self._pattern.on_edges)
        return f"WITH DISTINCT {variable}\nRETURN {function}({value}) AS value"

    def _measure(self) -> tuple[Constraint, str]:
        """The measure, and the variable of its node or relationship."""
        constraint = self._pattern.measures[0]
        on_edge = constraint in self._pattern.on_edges
        return constraint, f"r{constraint.index}" if on_edge else self.variables[constraint.index]

    def _number(self, variable: str, condition: Condition) -> str:
        property = self._schema.properties(condition.owner)[condition.property]
        value = f"{variable}.{quoted(property.name)}"
        if property.kind == "date":
            return _iso(value, property.form) if property.form else f"toString({value})"
        return f"toFloatOrNull({value})" if property.stored_as_text else value

    def _condition(self, variable: str, condition: Condition) -> str:
        if condition.operator == "absent":
            end = ""
            if condition.to:
                end = f"denied:{quoted(condition.to.owner.name)} WHERE {self._condition('denied', condition.to)}"
            return f"NOT EXISTS {{ ({variable})-[:{quoted(condition.texts[0])}]-({end}) }}"
        property = self._schema.properties(condition.owner)[condition.property]
        value = f"{variable}.{quoted(property.name)}"
        if condition.operator == "flag":
            return f"coalesce({value}, false) = {self._parameter(condition.flag)}"
        if condition.operator == "compare":
            return " AND ".join(self._bounds(value, property, condition))
        whole = condition.operator in ("is", "other")
        parameter = self._parameter(list(condition.texts) if whole else condition.texts[0])
        comparison = _COMPARED[condition.operator]
        held = (
            f"any(value IN {value} WHERE value {comparison} {parameter})"
            if property.is_list
            else f"{value} {comparison} {parameter}"
        )
        return f"NOT {held}" if condition.operator == "other" else held

    def _bounds(self, value: str, property: PropertySchema, condition: Condition) -> Iterator[str]:
        if property.kind == "date":
            for bound in condition.bounds:
                yield from self._compared(_date(value, bound, form=property.form), (bound,))
            return
        if property.kind == "time":
            value = f"toIntegerOrNull(replace(left(toString({value}), 5), ':', ''))"
            yield from self._compared(value, condition.bounds)
            return
        if property.stored_as_text:
            value = f"toFloatOrNull({value})"
        yield from self._compared(value, condition.bounds)

    def _compared(self, value: str, bounds: Iterable[Bound]) -> Iterator[str]:
        for comparison, bound in bounds:
            # Beyond 64 bits there is no integer on the server.
            number = self._parameter(int(bound) if bound.is_integer() and abs(bound) < 2**63 else bound)
            yield f"{value} % {number} = 0" if comparison == "%" else f"{value} {comparison} {number}"

    def _parameter(self, value: object) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"


def _called(node: str, name: str | None) -> str:
    """The name of a node: a property, or several joined."""
    if name is None:
        return "null"
    parts = [f"toStringOrNull({node}.{quoted(part)})" for part in parts_of(name)]
    if len(parts) == 1:
        return parts[0]
    joined = " + ' ' + ".join(f"coalesce({part}, '')" for part in parts)
    return f"trim({joined})"


def _date(value: str, bound: Bound, *, form: str) -> str:
    """A date as a number with as many digits as the bound: year, month and day."""
    if form:
        year, month, day = (f"toIntegerOrNull({part})" for part in _parts_of_date(value, form))
        if bound[1] < FIRST_MONTH:
            return year
        return f"{year} * 100 + {month}" if bound[1] < FIRST_DAY else f"{year} * 10000 + {month} * 100 + {day}"
    if bound[1] < FIRST_MONTH:
        return f"toIntegerOrNull(left(toString({value}), 4))"
    length = 7 if bound[1] < FIRST_DAY else 10
    return f"toIntegerOrNull(replace(left(toString({value}), {length}), '-', ''))"


def _iso(value: str, form: str) -> str:
    """A date stored with its year last as text that begins with the year, so that it can be ordered."""
    year, month, day = _parts_of_date(value, form)
    return f"{year} + '-' + right('0' + {month}, 2) + '-' + right('0' + {day}, 2)"


def _parts_of_date(value: str, form: str) -> Iterator[str]:
    """Year, month and day of a date stored as text in a form such as ``d/m/y``; a time may follow the year."""
    order = form[::2]
    for part in "ymd":
        text = f"split({value}, '{form[1]}')[{order.index(part)}]"
        yield f"left({text}, 4)" if part == "y" else text


def _asked(label: str, node: str, aggregation: Aggregation) -> str:
    """The property of an ordered node that the question asks for; empty if it asks for none."""
    property = aggregation.shows.get(label)
    return f"{node}.{quoted(property)}" if property else ""


def is_bounded(pattern: Pattern) -> bool:
    """Whether the rows of a pattern are limited: several relationships can match in any number of ways."""
    return len(pattern.edges) > 1 and not pattern.measures


def _bound(node: str, bounded: bool) -> Iterator[str]:
    if bounded:
        yield f"WITH {node} LIMIT {MOST_ROWS}"


def _projected(pattern: Pattern) -> str:
    return "value" if pattern.measures else "count(*) AS ways"


def _ordered(pattern: Pattern, node: str, aggregation: Aggregation, limit: int) -> Iterator[str]:
    direction = "" if aggregation.order == "ascending" else " DESC"
    yield f"ORDER BY {'value' if pattern.measures else 'ways'}{direction}, elementId({node})"
    yield f"LIMIT {int(limit)}"


def _function(aggregation: Aggregation, property: str, *, on_edge: bool) -> str:
    """The Cypher function: the one that the question names, else a sum for quantities, else the extreme value."""
    if aggregation.function in ("average", "sum"):
        return "avg" if aggregation.function == "average" else "sum"
    adds_up = not _AMOUNTS.isdisjoint(words(property).split())
    if adds_up and (on_edge or aggregation.countable):
        return "sum"
    return "min" if aggregation.order == "ascending" else "max"


def _arrow(start: str, variable: str, type: str, forward: bool, end: str, *, mutual: bool = False) -> str:
    relationship = f"[{variable}:{quoted(type)}]"
    if mutual:
        return f"{start}-{relationship}-{end}"
    return f"{start}-{relationship}->{end}" if forward else f"{start}<-{relationship}-{end}"


def _variables(pattern: Pattern) -> list[str]:
    """A readable variable for each node: its label, with a number if the label repeats."""
    counts: Mapping[str, int] = {}
    variables: list[str] = []
    for index, label in enumerate(pattern.labels):
        base = words(label).replace(" ", "_")
        if not _VARIABLE.fullmatch(base) or re.fullmatch(r"[nr]\d+", base):
            base = f"n{index}"
        elif base in _TAKEN:
            base = f"{base}_node"
        counts = {**counts, base: counts.get(base, 0) + 1}
        variables.append(base if counts[base] == 1 else f"{base}_{counts[base]}")
    return variables if len(set(variables)) == len(variables) else [f"n{index}" for index in range(len(variables))]
