"""The value that a question asks for, *the population of*, *how high is*, and whose value it is."""

import re
from collections.abc import Mapping, Sequence

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner
from gear_neo4j.retrieval.patterns.aggregation import TIMES, Aggregation, value_in
from gear_neo4j.retrieval.patterns.condition import Condition
from gear_neo4j.retrieval.patterns.language import stop_words
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness
from gear_neo4j.retrieval.patterns.reading import Reading, Word
from gear_neo4j.retrieval.patterns.target import EXACT, NAMES

# Minimum prior of a measure of a named node.
SURELY_NAMED = 0.5
# What may stand before the property whose value is asked for; a named node is a sign.
_BEFORE_VALUE = re.compile(
    r"\s*(?:(?:what(?: is| are| was| were|['’]s)?|give me|tell me|show me|find|state)\s+)?(?:the\s+)?"
    r"(?:§(?:['’]s?)?\s+)?",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\s*when\b", re.IGNORECASE)


def value_asked_for(reading: Reading, likeness: Likeness, schema: GraphSchema) -> Aggregation | None:
    """The value that a question asks for; None if it asks for none.

    An adjective or a verb says it, or the first word with a meaning, or the one after a possessive, which names a
    property, and neither a label nor a type. It is no name: *what is the name of Ann's employer* asks for a node.
    """
    wanted = reading.aggregation
    if value := value_in(reading.text):
        return value
    if wanted and wanted.order and set(wanted.nouns) & set(TIMES) and (match := _WHEN.match(reading.text)):
        return Aggregation("value", figure=True, nouns=wanted.nouns, phrase=match.end(), cues=(match.span(),))
    ordered = wanted is not None and wanted.order is not None
    first = min(likeness, default=0)
    start = first
    while start and _describes(reading.words[start - 1]):
        start -= 1
    before = reading.text[: reading.words[start].start].casefold()
    # One word may describe the property: the production year.
    described = ordered and not any(element.kind != "property" for element in likeness.get(first, {}))
    for index in range(first, first + (2 if described else 1)):
        word = reading.words[index]
        row = {element: value for element, value in likeness.get(index, {}).items() if not _is_a_name(element, schema)}
        if names_a_property(row) and _BEFORE_VALUE.fullmatch(_masked(reading, before)):
            # A measure explains its own words; a property that is only shown does not.
            end = _end_of_property(reading, likeness, index) if ordered else word.start
            return Aggregation("value", figure=True, phrase=word.start, cues=((0, end),) if end else ())
    return None


def _describes(word: Word) -> bool:
    """Whether a word describes the property after it, as in *population density*."""
    return not word.telling and word.literal is None and word.text.casefold() not in stop_words()


def _end_of_property(reading: Reading, likeness: Likeness, index: int) -> int:
    """The end of the last of consecutive words that name properties."""
    while names_a_property(likeness.get(index + 1, {})):
        index += 1
    return reading.words[index].end


def names_a_property(row: Mapping[Element, float]) -> bool:
    """Whether a word names a property, and neither a label nor a type."""
    properties = [value for element, value in row.items() if element.kind == "property"]
    others = [value for element, value in row.items() if element.kind != "property"]
    return max(properties, default=0.0) >= EXACT > max(others, default=0.0)


def of_asked(
    reading: Reading, likeness: Likeness, value: Aggregation, measures: Sequence[Condition], schema: GraphSchema
) -> list[Condition]:
    """The measures of what stands next after the value, else those of the nodes that the question names.

    Of others, it asks for no single value.
    """
    owners = _owners_after(reading, likeness, value, schema) or _named(reading)
    if not any(measure.owner in owners for measure in measures):
        owners = _named(reading)
    best = max((measure.prior for measure in measures if measure.owner in owners), default=0.0)
    least = best if value.nouns else SURELY_NAMED
    return [measure for measure in measures if measure.owner in owners and measure.prior >= least]


def is_of_named(reading: Reading, measures: Sequence[Condition], schema: GraphSchema) -> bool:
    """Whether the measures are of nodes that the question names, or of their relationships."""
    named = {owner.name for owner in _named(reading)}
    owners = {measure.owner.name for measure in measures}
    return all(named.intersection((owner, *schema.ends.get(owner, ()))) for owner in owners)


def shown(
    reading: Reading, likeness: Likeness, value: Aggregation, measures: Sequence[Condition], schema: GraphSchema
) -> dict[str, str]:
    """The property with the value, by label; only of what stands next after the value, if that has one."""
    most = max((measure.prior for measure in measures), default=0.0)
    near = (measure for measure in measures if measure.prior >= SURELY_NAMED * most)
    best = {measure.owner: measure for measure in sorted(near, key=lambda measure: measure.prior)}
    owners = _owners_after(reading, likeness, value, schema) & best.keys() or best.keys()
    return {owner.name: best[owner].property for owner in owners if owner.kind == "label"}


def without(reading: Reading, likeness: Likeness, value: Aggregation) -> Likeness:
    """The likeness without the words before and for a value, which need no explanation."""
    kept = dict(likeness)
    for index, word in enumerate(reading.words):
        if word.overlaps(value.cues):
            word.telling = False
            kept.pop(index, None)
    return kept


def _owners_after(reading: Reading, likeness: Likeness, value: Aggregation, schema: GraphSchema) -> frozenset[Owner]:
    """The owners that the first word after a value may mean: a named node's label, a label, a type and its ends."""
    given = _named(reading)
    for index, word in enumerate(reading.words):
        if word.start < (value.phrase or 0):
            continue
        if word.literal is not None and reading.literals[word.literal].weight == 1:
            conditions = reading.literals[word.literal].conditions
            labels = {condition.owner for condition in conditions if condition.operator == "is"}
            types = {type for type, ends in schema.ends.items() if any(owner.name in ends for owner in labels)}
            return frozenset(labels | {Owner("type", type) for type in types})
        row = likeness.get(index, {})
        best = max(row.values(), default=0.0)
        elements = [element for element, like in row.items() if like == best >= NAMES]
        if labels := {Owner("label", element.name) for element in elements if element.kind == "label"}:
            return frozenset(labels)
        if types := {element.name for element in elements if element.kind == "type"}:
            ends = {Owner("label", end) for type in types for end in schema.ends[type]}
            return frozenset((ends - given or ends) | {Owner("type", type) for type in types})
    return frozenset()


def _named(reading: Reading) -> frozenset[Owner]:
    """The labels of the nodes that the question names."""
    return frozenset(
        condition.owner
        for literal in reading.literals
        if literal.weight == 1
        for condition in literal.conditions
        if condition.operator == "is"
    )


def _is_a_name(element: Element, schema: GraphSchema) -> bool:
    return element.kind == "property" and schema.names.get(element.name) == element.property


def _masked(reading: Reading, text: str) -> str:
    """The beginning of a question, with values replaced by a sign."""
    for literal in reading.literals:
        first, last = reading.words[literal.first], reading.words[literal.last]
        if last.end <= len(text):
            text = text[: first.start] + "§" * (last.end - first.start) + text[last.end :]
    return re.sub("§+", "§", text)
