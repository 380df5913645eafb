"""What an aggregation measures: a count of nodes or relationships, or a property, linked to the words that name it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner
from gear_neo4j.retrieval.patterns.aggregation import LISTED, Aggregation
from gear_neo4j.retrieval.patterns.conditions import Bound, Condition
from gear_neo4j.retrieval.patterns.language import alike, is_identifier, stem, telling_words
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness, Likenesses, by_cosine
from gear_neo4j.retrieval.patterns.reading import Compared, Literal, Reading
from gear_neo4j.retrieval.patterns.target import EXACT, NAMES

# So many words after the one that asks for it, a word names the measure a third as surely.
FADES = 4.0
FARTHEST = 16
# A property that is like what an adjective measures, such as a price, without a word in common.
LIKE_NOUN = 0.5
LATER_NOUN = 0.1
# Of a property with several words so many must stand in the question.
MOST_OF_A_NAME = 0.5
# Measures that are nearly as well named as the best.
MARGIN = 0.5
MOST_MEASURES = 6


def add_measures(reading: Reading, likeness: Likeness, *, schema: GraphSchema, likenesses: Likenesses) -> None:
    """Add to the literals of a reading what its question measures; nothing where no word names it."""
    for compared in reading.comparisons:
        if counted := list(_compared_counts(reading, likeness, compared)):
            _replace(reading, Literal(compared.first, compared.last, counted))
            reading.aggregation = reading.aggregation or LISTED
    wanted = reading.aggregation
    if wanted and not wanted.figure and _asks_for_values(reading, likeness):
        wanted = replace(wanted, supported=False)
    if wanted and wanted.figure and wanted.order and _names_a_label(reading, likeness, _start(reading, wanted)):
        # The highest rated film is a film.
        wanted = replace(wanted, figure=False, limit=1)
    reading.aggregation = wanted
    if wanted and wanted.supported and (measures := _measures(reading, likeness, wanted, schema, likenesses)):
        measures.sort(key=lambda measure: -measure.prior)
        best = [measure for measure in measures if measure.prior >= measures[0].prior - MARGIN]
        start = _start(reading, wanted)
        reading.measure = len(reading.literals)
        reading.literals.append(Literal(start, start, best[:MOST_MEASURES]))


def _asks_for_values(reading: Reading, likeness: Likeness) -> bool:
    """Whether what comes first in a question is no label, as in *the top three cities with*: values are no nodes."""
    for place in sorted(likeness)[:1]:
        named = (_names_nodes(likeness.get(at, {})) for at in (place, place + 1))
        return not any(named) and reading.words[place].literal is None
    return False


def _names_nodes(row: Mapping[Element, float]) -> bool:
    return any(element.kind != "property" and value >= NAMES for element, value in row.items())


def _names_a_label(reading: Reading, likeness: Likeness, start: int) -> bool:
    """Whether the words from a place on name a label before any other words come between."""
    for place, word in enumerate(reading.words[start:], start=start):
        row = likeness.get(place, {})
        if any(element.kind == "label" and value >= EXACT for element, value in row.items()):
            return True
        if not word.telling:
            return False
    return False


def _names_a_property(row: Mapping[Element, float]) -> bool:
    """Whether a word names a property, and neither a label nor a type."""
    properties = [value for element, value in row.items() if element.kind == "property"]
    others = [value for element, value in row.items() if element.kind != "property"]
    return max(properties, default=0.0) >= EXACT > max(others, default=0.0)


def _compared_counts(reading: Reading, likeness: Likeness, compared: Compared) -> Iterator[Condition]:
    """What is compared with a number: *more than five films*, *acted more than five times*."""
    following = range(compared.last + 1, min(compared.last + 3, len(reading.words)))
    if any(reading.words[place].text.casefold() == "times" for place in following[:1]):
        following = range(compared.first - 1, -1, -1)
        return (
            condition
            for condition in _counts(reading, likeness, following[:4], least=EXACT, bounds=compared.bounds)
            if condition.owner.kind == "type"
        )
    return _counts(reading, likeness, following, least=EXACT, bounds=compared.bounds)


def _replace(reading: Reading, literal: Literal) -> None:
    """Put a literal in the place of one that stands at the same words, or after the others."""
    places = [place for place, other in enumerate(reading.literals) if other.first == literal.first]
    for place in places[:1]:
        reading.literals[place] = literal
    if not places:
        reading.literals.append(literal)


def _start(reading: Reading, wanted: Aggregation) -> int:
    """The place of the first word that may name the measure."""
    places = (place for place, word in enumerate(reading.words) if word.start >= (wanted.phrase or 0))
    return next(places, len(reading.words) - 1)


def _measures(
    reading: Reading, likeness: Likeness, wanted: Aggregation, schema: GraphSchema, likenesses: Likenesses
) -> list[Condition]:
    if wanted.nouns:
        return list(_properties_like(wanted, schema, likenesses))
    if wanted.phrase is None:
        return []
    start = _start(reading, wanted)
    if wanted.figure and wanted.function == "count":
        return list(_different_values(likeness, start, schema))
    properties = list(_properties(reading, start, schema, whole=wanted.function in (None, "count")))
    if wanted.function == "count":
        # The number of votes is the property, if it is said in these very words.
        properties = [measure for measure in properties if measure.prior == 1.0]
    if not wanted.countable or wanted.function == "average":
        return properties
    # A total of orders is a count if nothing stands between: a total value of orders is none.
    counted = _counts(reading, likeness, range(start, start + (1 if wanted.function == "sum" else FARTHEST)))
    return [*properties, *counted]


def _different_values(likeness: Likeness, start: int, schema: GraphSchema) -> Iterator[Condition]:
    """The properties whose different values are counted: *how many countries*."""
    place = next((place for place in sorted(likeness) if place >= start), None)
    row = likeness[place] if place is not None else {}
    for element, value in row.items() if _names_a_property(row) else ():
        if element.kind == "property" and value >= EXACT:
            for owner in schema.owners():
                known = schema.properties(owner).get(element.property) if owner.name == element.name else None
                if known and not known.is_list:
                    yield Condition(owner, element.property, "measure", prior=value)


def _properties(reading: Reading, start: int, schema: GraphSchema, *, whole: bool) -> Iterator[Condition]:
    """The numbers that the words from a place on name, the nearest best."""
    stems = [word.stem for word in reading.words[start : start + FARTHEST]]
    for owner, name, kind in _measurable(schema):
        if kind != "number":
            continue
        parts = tuple(dict.fromkeys(map(stem, telling_words(name))))
        places = [next((at for at, word in enumerate(stems) if alike(word, part) >= EXACT), None) for part in parts]
        known = [place for place in places if place is not None]
        share = len(known) / len(parts)
        if known and share >= (1.0 if whole else MOST_OF_A_NAME):
            yield Condition(owner, name, "measure", prior=share * math.exp(-min(known) / FADES))


def _properties_like(wanted: Aggregation, schema: GraphSchema, likenesses: Likenesses) -> Iterator[Condition]:
    """The numbers and dates that an adjective measures; its first nouns are the likeliest."""
    nouns = likenesses.vectors(wanted.nouns)
    stems = list(map(stem, wanted.nouns))
    for owner, name, _ in _measurable(schema):
        parts = telling_words(name)
        places = [stems.index(part) for part in map(stem, parts) if part in stems]
        known = 1.0 - LATER_NOUN * min(places) if places else 0.0
        prior = known or by_cosine(float((likenesses.vectors(parts) @ nouns.T).max()))
        if prior >= LIKE_NOUN:
            yield Condition(owner, name, "measure", prior=prior)


def _counts(
    reading: Reading,
    likeness: Likeness,
    places: Sequence[int],
    *,
    least: float = NAMES,
    bounds: tuple[Bound, ...] = (),
) -> Iterator[Condition]:
    """The labels and types that words name, the nearest best, as far as the first word that says something else."""
    best: dict[Owner, float] = {}
    for distance, place in enumerate(places):
        row = {element: value for element, value in likeness.get(place, {}).items() if value >= least}
        says_else = not row and place < len(reading.words) and reading.words[place].telling
        # Of a property with lists, its entries would be counted.
        if says_else or _names_a_property(row):
            break
        for owner, value in _counted(reading.words[place].text, row) if row else ():
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


def _measurable(schema: GraphSchema) -> Iterator[tuple[Owner, str, str]]:
    for owner in schema.owners():
        for property in schema.properties(owner).values():
            if property.kind in ("number", "date") and not property.is_list and not is_identifier(property.name):
                yield owner, property.name, property.kind
