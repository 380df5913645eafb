"""Relationships that a question denies: *customers who never placed an order*, *films without reviews*."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner
from gear_neo4j.retrieval.patterns.condition import Condition, is_name
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness
from gear_neo4j.retrieval.patterns.reading import Literal, Reading
from gear_neo4j.retrieval.patterns.target import EXACT

DENIED = re.compile(
    r"never|not|no|without|lacks?|(?:haven|hasn|didn|don|doesn|weren|wasn|aren|isn)(?:['’]t)?", re.IGNORECASE
)
# A denial refers to one of the next words, at most this many of them.
FARTHEST = 4
_COMPARING = frozenset(
    ["less", "more", "fewer", "lower", "earlier", "later", "greater", "higher", "larger", "longer", "exceeding", "only"]
)


def add_absences(reading: Reading, likeness: Likeness, *, schema: GraphSchema) -> None:
    """Add the relationships that a question denies to the literals of its reading; note a denial that it cannot add.

    Before a name, the relationship to that node is denied: *who did not act in Heat*.
    """
    for index, word in enumerate(reading.words):
        if word.literal is None and DENIED.fullmatch(word.text):
            following = range(index + 1, min(index + 1 + FARTHEST, len(reading.words)))
            denied = next(
                (at for at in following if reading.words[at].literal is not None or _names(likeness, at)), None
            )
            if denied is not None and reading.words[denied].literal is None:
                conditions = list(dict.fromkeys(_absent(_names(likeness, denied), schema)))
                named = _named_after(reading, denied, schema)
                to = [] if named is None else list(_absent_to(conditions, reading.literals[named], schema))
                if named is not None and to:
                    _replace_name(reading, index, named, to)
                else:
                    reading.literals.append(Literal(index, denied, conditions))
            elif not _is_expressed(reading, index):
                reading.denial = index


def _named_after(reading: Reading, index: int, schema: GraphSchema) -> int | None:
    """The literal that names a node soon after a word."""
    for number, literal in enumerate(reading.literals):
        if index < literal.first <= index + FARTHEST and any(is_name(one, schema) for one in literal.conditions):
            return number
    return None


def _absent_to(conditions: Sequence[Condition], literal: Literal, schema: GraphSchema) -> Iterator[Condition]:
    """The conditions with the node that a literal names at the other end of the relationship."""
    for condition in conditions:
        for to in literal.conditions:
            ends = [{tie.start, tie.end} for tie in schema.ties if tie.type == condition.texts[0]]
            if is_name(to, schema) and {condition.owner.name, to.owner.name} in ends:
                yield replace(condition, to=to)


def _replace_name(reading: Reading, first: int, number: int, conditions: Sequence[Condition]) -> None:
    """Replace the literal of a name by the denial of a relationship to it."""
    last = reading.literals[number].last
    inside = range(reading.literals[number].first, last + 1)
    reading.drop({number})
    for index in inside:
        reading.words[index].literal = len(reading.literals)
    reading.literals.append(Literal(first, last, conditions))


def _is_expressed(reading: Reading, index: int) -> bool:
    """Whether a denial is part of a condition: an exception, a flag, or a comparison such as *no more than*."""
    following = [word.text.casefold() for word in reading.words[index + 1 : index + 2]]
    if not following or not _COMPARING.isdisjoint(following):
        return True
    return any(
        literal.first <= index <= literal.last
        or (
            index < literal.first <= index + FARTHEST
            and any(condition.operator in ("flag", "other", "compare") for condition in literal.conditions)
        )
        for literal in reading.literals
    )


def _names(likeness: Likeness, index: int) -> Mapping[Element, float]:
    """The labels and types that a word clearly names; empty if it only names a property."""
    row = {element: value for element, value in likeness.get(index, {}).items() if value >= EXACT}
    return row if any(element.kind != "property" for element in row) else {}


def _absent(row: Mapping[Element, float], schema: GraphSchema) -> Iterator[Condition]:
    """Conditions that exclude a relationship type at either of its ends, or all relationships with a label."""
    for element, value in row.items():
        for tie in schema.ties:
            if element == Element("type", tie.type):
                ends = {tie.start, tie.end}
            elif element.kind == "label" and element.name in (tie.start, tie.end):
                ends = {tie.start, tie.end} - {element.name}
            else:
                continue
            for end in ends:
                yield Condition(Owner("label", end), "", "absent", (tie.type,), prior=value)
