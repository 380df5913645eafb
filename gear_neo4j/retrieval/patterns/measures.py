"""Links an aggregation to what it measures: a count of nodes or relationships, or a property that the words name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.patterns.aggregation import INHABITANTS, LISTED, POPULATION, SIZES, Aggregation
from gear_neo4j.retrieval.patterns.asked_values import (
    is_of_named,
    names_a_property,
    of_asked,
    shown,
    value_asked_for,
    without,
)
from gear_neo4j.retrieval.patterns.condition import Condition, is_count
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness, Likenesses
from gear_neo4j.retrieval.patterns.measurable import (
    FARTHEST,
    counts,
    different_values,
    named_like,
    properties,
    properties_like,
)
from gear_neo4j.retrieval.patterns.reading import Compared, Literal, Reading
from gear_neo4j.retrieval.patterns.target import EXACT, NAMES

# Measures are kept if their prior is at most this much below the best.
MARGIN = 0.5
MOST_MEASURES = 6
# Words between *what state* and *the state with*, and words after a label that describe its nodes.
_BEING = frozenset({"is", "are", "was", "were", "the"})
_PREDICATE = re.compile(r"\b(?:is|are|was|were)\s+(?:the\s+)?$", re.IGNORECASE)
_DESCRIBING = frozenset({"with", "that", "which", "who", "whose", "having"})


def add_measures(reading: Reading, likeness: Likeness, *, schema: GraphSchema, likenesses: Likenesses) -> Likeness:
    """Add what a question measures to the literals of its reading; nothing if no word names it.

    Returns the likeness without the words for a value that is asked for: they describe no node.
    """
    return _Linker(reading, _without_modifiers(reading, likeness), schema, likenesses).link()


@dataclass(slots=True)
class _Linker:
    """Links the aggregation of one question to what it measures."""

    reading: Reading
    likeness: Likeness
    schema: GraphSchema
    likenesses: Likenesses

    def link(self) -> Likeness:
        """Add the measure; returns the likeness of the words that still describe nodes."""
        reading = self.reading
        for compared in reading.comparisons:
            if counted := list(_compared_counts(reading, self.likeness, compared)):
                _replace(reading, Literal(compared.first, compared.last, counted))
                reading.aggregation = reading.aggregation or LISTED
        value = value_asked_for(reading, self.likeness, self.schema)
        wanted = reading.aggregation
        if value and (wanted is None or (wanted.function == "count" and wanted.figure)):
            if not self._ask_for(value) and wanted:
                self._measure_by(wanted, None)
        elif wanted:
            self._measure_by(wanted, value)
        return self.likeness

    def _ask_for(self, value: Aggregation) -> bool:
        """Whether the question asks for a value of nodes that it names or describes."""
        measures = of_asked(self.reading, self.likeness, value, self._measures(value), self.schema)
        if measures:
            # Of nodes that the question does not name, there may be several.
            loose = not is_of_named(self.reading, measures, self.schema)
            self.reading.aggregation = replace(value, loose=loose)
            self._add(value, measures)
            self.likeness = without(self.reading, self.likeness, value)
        return bool(measures)

    def _measure_by(self, wanted: Aggregation, value: Aggregation | None) -> None:
        """Add what an aggregation measures; of the ordered nodes, a value may be asked for."""
        wanted = self._shown(wanted, value) if value and wanted.order else self._listed(wanted, value)
        wanted, label = self._ordered(wanted)
        self.reading.aggregation = wanted = _of_inhabitants(self.reading, self.likeness, wanted)
        measures = self._measures(wanted) if wanted.supported else []
        own = [measure for measure in measures if is_count(measure) or measure.owner.name == label]
        measures = own if wanted.picks else (label and own) or measures
        measures.sort(key=lambda measure: -measure.prior)
        best = [measure for measure in measures if measure.prior >= measures[0].prior - MARGIN][:MOST_MEASURES]
        self._add(wanted, best)
        if value and value.nouns and value.nouns == wanted.nouns:
            # When was the last call: what orders is what is asked for.
            shows = {measure.owner.name: measure.property for measure in best if measure.owner.kind == "label"}
            self.reading.aggregation = replace(wanted, shows=shows)
        if wanted.loose and not best and wanted.limit is None:
            # Nothing says what would be ordered: *the first lady*.
            self.reading.aggregation = None

    def _shown(self, wanted: Aggregation, value: Aggregation) -> Aggregation:
        """The aggregation with the value that is asked of an ordered node: *the population of the largest state*."""
        shows = shown(self.reading, self.likeness, value, self._measures(value), self.schema)
        if not (shows or wanted.type or (value.nouns and value.nouns == wanted.nouns)):
            return wanted
        self.likeness = without(self.reading, self.likeness, value)
        return replace(wanted, shows=shows, figure=False, function=None if value.nouns else wanted.function)

    def _listed(self, wanted: Aggregation, value: Aggregation | None) -> Aggregation:
        """The aggregation, not supported if it lists values instead of nodes."""
        lists_values = value is None and not wanted.figure and _asks_for_values(self.reading, self.likeness)
        return replace(wanted, supported=False) if lists_values else wanted

    def _ordered(self, wanted: Aggregation) -> tuple[Aggregation, str]:
        """The aggregation with the node that its order picks, and the label of the nodes that it orders."""
        if not (wanted.order and wanted.cues):
            return wanted, ""
        if wanted.figure and _names_a_label(self.reading, self.likeness, _start(self.reading, wanted)):
            # The highest rated film is a film.
            wanted = replace(wanted, figure=False)
        label, is_inside = _ordered_label(self.reading, self.likeness, wanted)
        if (wanted.limit or 1) > 1:
            # Of three suppliers with the most products, all are asked for.
            return wanted, ""
        if is_inside:
            wanted = replace(wanted, picks=label, supported=wanted.supported and wanted.function is None)
        return wanted, label

    def _add(self, wanted: Aggregation, measures: Sequence[Condition]) -> None:
        if measures:
            start = _start(self.reading, wanted)
            self.reading.measure = len(self.reading.literals)
            self.reading.literals.append(Literal(start, start, measures))

    def _measures(self, wanted: Aggregation) -> list[Condition]:
        """What an aggregation may measure."""
        schema = self.schema
        if wanted.nouns:
            # A size is only what is called so; what an adjective means may have another name.
            if wanted.function == "value":
                return list(named_like(wanted.nouns, schema))
            measures = list(properties_like(wanted, schema, self.likenesses))
            owners = {wanted.type, *schema.ends.get(wanted.type, ())}
            return [measure for measure in measures if not wanted.type or measure.owner.name in owners]
        if wanted.phrase is None:
            return []
        start = _start(self.reading, wanted)
        if wanted.figure and wanted.function == "count":
            return list(different_values(self.likeness, start, schema))
        if wanted.function == "value":
            return list(properties(self.reading, start, schema, whole=True, kinds=("number", "date", "time", "text")))
        named = list(properties(self.reading, start, schema, whole=wanted.function in (None, "count")))
        if wanted.sized and not named:
            return list(named_like(SIZES, schema))
        if wanted.function == "count":
            # The number of votes is the property, if the question uses exactly its words.
            named = [measure for measure in named if measure.prior == 1.0]
        if not wanted.countable or wanted.function == "average":
            return named
        # A total of orders is a count; a total value of orders is not.
        counted = counts(
            self.reading, self.likeness, range(start, start + (1 if wanted.function == "sum" else FARTHEST))
        )
        return [*named, *counted]


def _of_inhabitants(reading: Reading, likeness: Likeness, wanted: Aggregation) -> Aggregation:
    """The most people are the greatest population, where no node is a person."""
    start = _start(reading, wanted)
    word = reading.words[start]
    counts = wanted.order is not None and not wanted.nouns and word.text.casefold() in INHABITANTS
    if not counts or _names_nodes(likeness.get(start, {})):
        return wanted
    word.telling = False
    return replace(wanted, nouns=POPULATION, cues=(*wanted.cues, (word.start, word.end)))


def _without_modifiers(reading: Reading, likeness: Likeness) -> Likeness:
    """The likeness without words for properties that describe the next word, another property: *population density*."""
    kept = dict(likeness)
    for index, row in likeness.items():
        following = likeness.get(index + 1, {})
        if names_a_property(row) and names_a_property(following) and not _best(row) & _best(following):
            reading.words[index].telling = False
            del kept[index]
    return kept


def _best(row: Mapping[Element, float]) -> set[Element]:
    return {element for element, value in row.items() if value >= EXACT}


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
    indexes = [after, after + 1] if adjective else []
    found = next((index for index in (*indexes, *reversed(described)) if _label(likeness, index)), None)
    if found is None and adjective and _PREDICATE.search(reading.text[:start]):
        # Which city is the largest.
        return next((label for index in range(cue - 1, -1, -1) if (label := _label(likeness, index))), ""), False
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


def _compared_counts(reading: Reading, likeness: Likeness, compared: Compared) -> Iterator[Condition]:
    """The counts that a number is compared with: *more than five films*, *acted more than five times*."""
    following = range(compared.last + 1, min(compared.last + 3, len(reading.words)))
    if any(reading.words[index].text.casefold() == "times" for index in following[:1]):
        following = range(compared.first - 1, -1, -1)
        return (
            condition
            for condition in counts(reading, likeness, following[:4], least=EXACT, bounds=compared.bounds)
            if condition.owner.kind == "type"
        )
    return counts(reading, likeness, following, least=EXACT, bounds=compared.bounds)


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
