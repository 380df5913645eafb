"""What an aggregation may measure: properties that words name or resemble, and nodes and relationships to count."""

import math
from collections.abc import Iterator, Mapping, Sequence

from gear_neo4j.graph.read.graph_schema import GraphSchema, Kind, Owner
from gear_neo4j.retrieval.patterns.aggregation import TIMES, Aggregation
from gear_neo4j.retrieval.patterns.asked_values import names_a_property
from gear_neo4j.retrieval.patterns.condition import Bound, Condition
from gear_neo4j.retrieval.patterns.language import alike, is_identifier, stem, telling_words
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness, Likenesses, by_cosine
from gear_neo4j.retrieval.patterns.reading import Reading
from gear_neo4j.retrieval.patterns.target import EXACT, NAMES

# Distance, in words, over which the evidence for a measure falls to a third.
FADES = 4.0
FARTHEST = 16
# Minimum likeness of a property to what an adjective measures, such as a price, without a common word.
LIKE_NOUN = 0.5
LATER_NOUN = 0.1
# Prior of a date that is called otherwise.
A_DATE = 0.6
# Minimum share of a property's words that the question must contain.
MOST_OF_A_NAME = 0.5


def different_values(likeness: Likeness, start: int, schema: GraphSchema) -> Iterator[Condition]:
    """The properties whose distinct values are counted: *how many countries*."""
    index = next((index for index in sorted(likeness) if index >= start), None)
    row = likeness[index] if index is not None else {}
    for element, value in row.items() if names_a_property(row) else ():
        if element.kind == "property" and value >= EXACT:
            for owner in schema.owners():
                known = schema.properties(owner).get(element.property) if owner.name == element.name else None
                if known and not known.is_list:
                    yield Condition(owner, element.property, "measure", prior=value)


def named_like(nouns: Sequence[str], schema: GraphSchema) -> Iterator[Condition]:
    """The numbers whose names have one of the nouns; the first noun is the most likely."""
    stems = list(map(stem, nouns))
    for owner, name, kind in _measurable(schema):
        indexes = [stems.index(part) for part in map(stem, telling_words(name)) if part in stems]
        if kind == "number" and indexes:
            share = 1 / len(telling_words(name))
            yield Condition(owner, name, "measure", prior=share * (1.0 - LATER_NOUN * min(indexes)))


def properties(
    reading: Reading, start: int, schema: GraphSchema, *, whole: bool, kinds: Sequence[Kind] = ("number",)
) -> Iterator[Condition]:
    """The properties that the words from an index on name; nearer words count more.

    Of two that follow each other, the first describes the second: a population density is a density.
    """
    stems = [word.stem for word in reading.words[start : start + FARTHEST]]
    named: list[tuple[Condition, list[int]]] = []
    for owner, name, kind in _measurable(schema, kinds=(*kinds, "date")):
        if kind not in kinds:
            continue
        parts = tuple(dict.fromkeys(map(stem, telling_words(name))))
        indexes = [next((at for at, word in enumerate(stems) if alike(word, part) >= EXACT), None) for part in parts]
        known = [index for index in indexes if index is not None]
        share = len(known) / len(parts)
        if known and share >= (1.0 if whole else MOST_OF_A_NAME):
            named.append((Condition(owner, name, "measure", prior=share * math.exp(-min(known) / FADES)), known))
    heads = {min(indexes) for _, indexes in named}
    yield from (condition for condition, indexes in named if max(indexes) + 1 not in heads)


def properties_like(wanted: Aggregation, schema: GraphSchema, likenesses: Likenesses) -> Iterator[Condition]:
    """The numbers and dates that an adjective measures; its first nouns are the most likely."""
    nouns = likenesses.vectors(wanted.nouns)
    stems = list(map(stem, wanted.nouns))
    for owner, name, kind in _measurable(schema):
        parts = telling_words(name)
        indexes = [stems.index(part) for part in map(stem, parts) if part in stems]
        known = 1.0 - LATER_NOUN * min(indexes) if indexes else 0.0
        if not known and kind == "date" and TIMES[0] in wanted.nouns:
            known = A_DATE
        prior = known or by_cosine(float((likenesses.vectors(parts) @ nouns.T).max()))
        if prior >= LIKE_NOUN:
            yield Condition(owner, name, "measure", prior=prior)


def counts(
    reading: Reading,
    likeness: Likeness,
    indexes: Sequence[int],
    *,
    least: float = NAMES,
    bounds: tuple[Bound, ...] = (),
) -> Iterator[Condition]:
    """The labels and types that words name, the nearest best, as far as the first word that says something else."""
    best: dict[Owner, float] = {}
    for distance, index in enumerate(indexes):
        row = {element: value for element, value in likeness.get(index, {}).items() if value >= least}
        says_else = not row and index < len(reading.words) and reading.words[index].telling
        # Of a property with lists, its entries would be counted.
        if says_else or names_a_property(row):
            break
        for owner, value in _counted(reading.words[index].text, row) if row else ():
            best[owner] = max(best.get(owner, 0.0), value * math.exp(-distance / FADES))
    for owner, prior in best.items():
        yield Condition(owner, "", "measure", bounds=bounds, prior=prior)


def _counted(word: str, row: Mapping[Element, float]) -> Iterator[tuple[Owner, float]]:
    """What a word counts if it names both a label and a type: orders are nodes, what was ordered was so by a type."""
    sure = {element.kind for element, value in row.items() if value >= EXACT}
    left_out = ("label" if word.casefold().endswith("ed") else "type") if {"label", "type"} <= sure else ""
    for element, value in row.items():
        if element.kind != "property" and element.kind != left_out:
            yield Owner(element.kind, element.name), value


def _measurable(
    schema: GraphSchema, *, kinds: Sequence[Kind] = ("number", "date")
) -> Iterator[tuple[Owner, str, Kind]]:
    for owner in schema.owners():
        for property in schema.properties(owner).values():
            if property.kind in kinds and not property.is_list and not is_identifier(property.name):
                yield owner, property.name, property.kind
