"""Relationships that a question denies: *customers who never placed an order*, *films without reviews*."""

import re
from collections.abc import Iterator, Mapping

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner
from gear_neo4j.retrieval.patterns.conditions import Condition
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness
from gear_neo4j.retrieval.patterns.reading import Literal, Reading
from gear_neo4j.retrieval.patterns.target import EXACT

_DENIED = re.compile(r"never|not|no|without|lacks?|haven|hasn|didn|don|doesn|weren|wasn|aren|isn", re.IGNORECASE)
# A denial refers to one of the next words, at most this many of them.
FARTHEST = 4


def add_absences(reading: Reading, likeness: Likeness, *, schema: GraphSchema) -> None:
    """Add the relationships that a question denies to the literals of its reading."""
    for index, word in enumerate(reading.words):
        if word.literal is None and _DENIED.fullmatch(word.text):
            following = range(index + 1, min(index + 1 + FARTHEST, len(reading.words)))
            denied = next(
                (at for at in following if reading.words[at].literal is not None or _names(likeness, at)), None
            )
            if denied is not None and reading.words[denied].literal is None:
                conditions = list(dict.fromkeys(_absent(_names(likeness, denied), schema)))
                reading.literals.append(Literal(index, denied, conditions))


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
