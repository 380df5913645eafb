"""Links an aggregation to what it measures: a count of nodes or relationships, or a property that the words name."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gear_neo4j.graph.read.graph_schema import GraphSchema, Kind, Owner
from gear_neo4j.retrieval.patterns.aggregation import LISTED, SIZES, Aggregation, value_in
from gear_neo4j.retrieval.patterns.condition import Bound, Condition, is_count
from gear_neo4j.retrieval.patterns.language import alike, is_identifier, stem, telling_words
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness, Likenesses, by_cosine
from gear_neo4j.retrieval.patterns.reading import Compared, Literal, Reading
from gear_neo4j.retrieval.patterns.target import EXACT, NAMES

# Distance, in words, over which the evidence for a measure falls to a third.
FADES = 4.0
FARTHEST = 16
# Minimum likeness of a property to what an adjective measures, such as a price, without a common word.
LIKE_NOUN = 0.5
LATER_NOUN = 0.1
# Minimum share of a property's words that the question must contain.
MOST_OF_A_NAME = 0.5
# Measures are kept if their prior is at most this much below the best.
MARGIN = 0.5
MOST_MEASURES = 6
# Words between *what state* and *the state with*, and words after a label that describe its nodes.
_BEING = frozenset({"is", "are", "was", "were", "the"})
_DESCRIBING = frozenset({"with", "that", "which", "who", "whose", "having"})
# What may stand before the property whose value is asked for; a named node is a sign.
_BEFORE_VALUE = re.compile(
    r"\s*(?:(?:what(?: is| are| was| were|['’]s)|give me|tell me|show me|find|state)\s+)?(?:the\s+)?"
    r"(?:§(?:['’]s?)?\s+)?",
    re.IGNORECASE,
)


def add_measures(reading: Reading, likeness: Likeness, *, schema: GraphSchema, likenesses: Likenesses) -> None:
    """Add what a question measures to the literals of its reading; nothing if no word names it."""
    for compared in reading.comparisons:
        if counted := list(_compared_counts(reading, likeness, compared)):
            _replace(reading, Literal(compared.first, compared.last, counted))
            reading.aggregation = reading.aggregation or LISTED
    wanted = reading.aggregation
    if wanted is None or (wanted.function == "count" and wanted.figure):
        value = value_in(reading.text) or (None if wanted else _value_asked_for(reading, likeness, schema))
        if value and (measures := _of_named(reading, value, _measures(reading, likeness, value, schema, likenesses))):
            reading.aggregation = value
            reading.measure = len(reading.literals)
            start = _start(reading, value)
            reading.literals.append(Literal(start, start, measures))
            for word in reading.words:
                word.telling &= not any(word.start < end and word.end > start for start, end in value.cues)
            return
    if wanted and not wanted.figure and _asks_for_values(reading, likeness):
        wanted = replace(wanted, supported=False)
    if wanted and wanted.figure and wanted.order and _names_a_label(reading, likeness, _start(reading, wanted)):
        # The highest rated film is a film.
        wanted = replace(wanted, figure=False, limit=1)
    label = ""
    if wanted and wanted.order:
        label, is_inside = _ordered_label(reading, likeness, wanted)
        if (wanted.limit or 1) > 1:
            # Of three suppliers with the most products, all are asked for.
            label = ""
        elif is_inside:
            wanted = replace(wanted, picks=label, supported=wanted.supported and wanted.function is None)
    reading.aggregation = wanted
    if wanted and wanted.supported and (measures := _measures(reading, likeness, wanted, schema, likenesses)):
        own = [measure for measure in measures if is_count(measure) or measure.owner.name == label]
        measures = own if wanted.picks else (label and own) or measures
        measures.sort(key=lambda measure: -measure.prior)
        best = [measure for measure in measures if measure.prior >= measures[0].prior - MARGIN]
        start = _start(reading, wanted)
        if best:
            reading.measure = len(reading.literals)
            reading.literals.append(Literal(start, start, best[:MOST_MEASURES]))


def _ordered_label(reading: Reading, likeness: Likeness, wanted: Aggregation) -> tuple[str, bool]:
    """The label of the nodes that a superlative orders, and whether another one before it is asked for.

    *Which states does the longest river run through*, *rivers in the state with the most cities*; but *the longest
    river*. Empty if no word says it.
    """
    start, end = wanted.cues[0]
    cue = next(index for index, word in enumerate(reading.words) if word.end > start)
    after = next((index for index, word in enumerate(reading.words) if word.start >= end), cue)
    adjective = bool(wanted.nouns) or not wanted.countable
    described = [index for index in range(cue) if reading.words[index + 1].text.casefold() in _DESCRIBING]
    indexes = [after] if adjective else []
    found = next((index for index in (*indexes, *reversed(described)) if _label(likeness, index)), None)
    if found is None:
        return "", False
    before = [index for index in range(min(found, cue)) if _label(likeness, index)]
    between = [word.text.casefold() for word in reading.words[before[-1] + 1 : found]] if before else []
    # What state is the state with the most cities.
    return _label(likeness, found), bool(before) and not _BEING.issuperset(between)


def _label(likeness: Likeness, index: int) -> str:
    """The label that a word names; empty if it names none, or a property better."""
    row = likeness.get(index, {})
    best = max(row.values(), default=0.0)
    labels = (element.name for element, value in row.items() if element.kind == "label" and value == best)
    return next(labels, "") if best >= NAMES else ""


def _value_asked_for(reading: Reading, likeness: Likeness, schema: GraphSchema) -> Aggregation | None:
    """The value that a question asks for by its property: *what is the population of*, *Ann's phone number*.

    The first word with a meaning, or the one after a possessive, names a property, and neither a label nor a type. It
    is no name: *what is the name of Ann's employer* asks for a node.
    """
    for index in sorted(likeness)[:1]:
        word = reading.words[index]
        before = reading.text[: word.start].casefold()
        row = {element: value for element, value in likeness[index].items() if not _is_a_name(element, schema)}
        if _names_a_property(row) and _BEFORE_VALUE.fullmatch(_masked(reading, before)):
            return Aggregation("value", figure=True, phrase=word.start, cues=((0, word.start),) if word.start else ())
    return None


def _is_a_name(element: Element, schema: GraphSchema) -> bool:
    return element.kind == "property" and schema.names.get(element.name) == element.property


def _masked(reading: Reading, text: str) -> str:
    """The beginning of a question, with values replaced by a sign."""
    for literal in reading.literals:
        first, last = reading.words[literal.first], reading.words[literal.last]
        if last.end <= len(text):
            text = text[: first.start] + "§" * (last.end - first.start) + text[last.end :]
    return re.sub("§+", "§", text)


def _of_named(reading: Reading, value: Aggregation, measures: Sequence[Condition]) -> list[Condition]:
    """The measures of the nodes that the question names: of others, it asks for no single value."""
    named = {
        condition.owner
        for literal in reading.literals
        if literal.weight == 1
        for condition in literal.conditions
        if condition.operator == "is"
    }
    best = max((measure.prior for measure in measures if measure.owner in named), default=0.0)
    return [
        measure for measure in measures if measure.owner in named and measure.prior >= (best if value.nouns else MARGIN)
    ]


def _asks_for_values(reading: Reading, likeness: Likeness) -> bool:
    """Whether the question asks for values instead of nodes, as in *the top three cities with*."""
    for index in sorted(likeness)[:1]:
        named = (_names_nodes(likeness.get(at, {})) for at in (index, index + 1))
        return not any(named) and reading.words[index].literal is None
    return False


def _names_nodes(row: Mapping[Element, float]) -> bool:
    return any(element.kind != "property" and value >= NAMES for element, value in row.items())


def _names_a_label(reading: Reading, likeness: Likeness, start: int) -> bool:
    """Whether the first content word from an index on names a label."""
    for index, word in enumerate(reading.words[start:], start=start):
        row = likeness.get(index, {})
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
    """The counts that a number is compared with: *more than five films*, *acted more than five times*."""
    following = range(compared.last + 1, min(compared.last + 3, len(reading.words)))
    if any(reading.words[index].text.casefold() == "times" for index in following[:1]):
        following = range(compared.first - 1, -1, -1)
        return (
            condition
            for condition in _counts(reading, likeness, following[:4], least=EXACT, bounds=compared.bounds)
            if condition.owner.kind == "type"
        )
    return _counts(reading, likeness, following, least=EXACT, bounds=compared.bounds)


def _replace(reading: Reading, literal: Literal) -> None:
    """Replace the literal that starts at the same word, or append a new one."""
    indexes = [index for index, other in enumerate(reading.literals) if other.first == literal.first]
    for index in indexes[:1]:
        reading.literals[index] = literal
    if not indexes:
        reading.literals.append(literal)


def _start(reading: Reading, wanted: Aggregation) -> int:
    """The index of the first word that may name the measure."""
    indexes = (index for index, word in enumerate(reading.words) if word.start >= (wanted.phrase or 0))
    return next(indexes, len(reading.words) - 1)


def _measures(
    reading: Reading, likeness: Likeness, wanted: Aggregation, schema: GraphSchema, likenesses: Likenesses
) -> list[Condition]:
    if wanted.nouns:
        # A size is only what is called so; what an adjective means may have another name.
        named = _named_like(wanted.nouns, schema) if wanted.function == "value" else None
        return list(named if named is not None else _properties_like(wanted, schema, likenesses))
    if wanted.phrase is None:
        return []
    start = _start(reading, wanted)
    if wanted.figure and wanted.function == "count":
        return list(_different_values(likeness, start, schema))
    if wanted.function == "value":
        return list(_properties(reading, start, schema, whole=True, kinds=("number", "date", "time", "text")))
    properties = list(_properties(reading, start, schema, whole=wanted.function in (None, "count")))
    if wanted.sized and not properties:
        return list(_named_like(SIZES, schema))
    if wanted.function == "count":
        # The number of votes is the property, if the question uses exactly its words.
        properties = [measure for measure in properties if measure.prior == 1.0]
    if not wanted.countable or wanted.function == "average":
        return properties
    # A total of orders is a count; a total value of orders is not.
    counted = _counts(reading, likeness, range(start, start + (1 if wanted.function == "sum" else FARTHEST)))
    return [*properties, *counted]


def _different_values(likeness: Likeness, start: int, schema: GraphSchema) -> Iterator[Condition]:
    """The properties whose distinct values are counted: *how many countries*."""
    index = next((index for index in sorted(likeness) if index >= start), None)
    row = likeness[index] if index is not None else {}
    for element, value in row.items() if _names_a_property(row) else ():
        if element.kind == "property" and value >= EXACT:
            for owner in schema.owners():
                known = schema.properties(owner).get(element.property) if owner.name == element.name else None
                if known and not known.is_list:
                    yield Condition(owner, element.property, "measure", prior=value)


def _named_like(nouns: Sequence[str], schema: GraphSchema) -> Iterator[Condition]:
    """The numbers whose names have one of the nouns; the first noun is the most likely."""
    stems = list(map(stem, nouns))
    for owner, name, kind in _measurable(schema):
        indexes = [stems.index(part) for part in map(stem, telling_words(name)) if part in stems]
        if kind == "number" and indexes:
            share = 1 / len(telling_words(name))
            yield Condition(owner, name, "measure", prior=share * (1.0 - LATER_NOUN * min(indexes)))


def _properties(
    reading: Reading, start: int, schema: GraphSchema, *, whole: bool, kinds: Sequence[Kind] = ("number",)
) -> Iterator[Condition]:
    """The properties that the words from an index on name; nearer words count more."""
    stems = [word.stem for word in reading.words[start : start + FARTHEST]]
    for owner, name, kind in _measurable(schema, kinds=(*kinds, "date")):
        if kind not in kinds:
            continue
        parts = tuple(dict.fromkeys(map(stem, telling_words(name))))
        indexes = [next((at for at, word in enumerate(stems) if alike(word, part) >= EXACT), None) for part in parts]
        known = [index for index in indexes if index is not None]
        share = len(known) / len(parts)
        if known and share >= (1.0 if whole else MOST_OF_A_NAME):
            yield Condition(owner, name, "measure", prior=share * math.exp(-min(known) / FADES))


def _properties_like(wanted: Aggregation, schema: GraphSchema, likenesses: Likenesses) -> Iterator[Condition]:
    """The numbers and dates that an adjective measures; its first nouns are the most likely."""
    nouns = likenesses.vectors(wanted.nouns)
    stems = list(map(stem, wanted.nouns))
    for owner, name, _ in _measurable(schema):
        parts = telling_words(name)
        indexes = [stems.index(part) for part in map(stem, parts) if part in stems]
        known = 1.0 - LATER_NOUN * min(indexes) if indexes else 0.0
        prior = known or by_cosine(float((likenesses.vectors(parts) @ nouns.T).max()))
        if prior >= LIKE_NOUN:
            yield Condition(owner, name, "measure", prior=prior)


def _counts(
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
        if says_else or _names_a_property(row):
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
