"""Reads a question for the pattern search: its words, and the values, numbers and flags that it states."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gear_neo4j.graph.read.graph_schema import GraphSchema, Kind, Owner, PropertySchema
from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.retrieval.dictionary import Dictionary, Match
from gear_neo4j.retrieval.patterns.aggregation import Aggregation, aggregation_in
from gear_neo4j.retrieval.patterns.condition import (
    QUOTED,
    Bound,
    Condition,
    is_excepted,
    is_negated,
    part_operator,
)
from gear_neo4j.retrieval.patterns.conditions import Numbers, dates_in, numbers_in, times_in
from gear_neo4j.retrieval.patterns.language import (
    CAMEL,
    QUALIFIERS,
    WORD,
    alike,
    is_identifier,
    stem,
    stop_words,
    telling_words,
)
from gear_neo4j.retrieval.patterns.phrases import Phrases
from gear_neo4j.retrieval.patterns.vocabulary import PropertyRef, Vocabulary

# The weight of a literal that looks like an ordinary word.
PLAIN = 0.15
# A property with fewer values is a closed list: its values are recognised in lower case, too.
CLOSED = 200
# Properties are kept if their prior is at most this much below the best.
MARGIN = 0.8
MOST_PROPERTIES = 8
# Prior of an order's own date, called orderDate, if no word says which date is meant.
OWN_DATE = 0.2
YEARS = (1000, 2100)
_IDS = re.compile(r"ids?\b|\w+ids?$", re.IGNORECASE)
_VALUE_NEXT = re.compile(r"\s*(?:is|of|=|:|number)?\s*['\"“]?\d")
_PLURAL = re.compile(r"(?<=\w{3})(?<!s)s\b")
# After these words, a lower-case word of a question without any name is more likely one: the population of dallas.
_BEFORE_NAME = re.compile(r"\b(?:of|in|at|from|near|by|with|is|are|for)\s+$", re.IGNORECASE)
_DIGITS = re.compile(r"[\d.,$]+")
# Of fewer digits, a number may count the answers.
_LONG_NUMBER = re.compile(r"\d[\d.,]{2,}")


@dataclass(slots=True)
class Word:
    """A word of a question: its span in the text, its stem, whether it carries meaning, and its literal.

    ``unread`` marks digits that are no condition, such as a version.
    """

    text: str
    start: int
    end: int
    stem: str
    telling: bool = True
    literal: int | None = None
    unread: bool = False


@dataclass(slots=True)
class Literal:
    """A value, number or flag in a question: its first and last word, and the conditions that it may mean.

    ``weight`` is how likely it is a literal, ``small`` whether it is written without capitals and quotes.
    """

    first: int
    last: int
    conditions: Sequence[Condition]
    weight: float = 1.0
    small: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison with a number, with its first and last word: *more than five*."""

    first: int
    last: int
    bounds: tuple[Bound, ...]


@dataclass(slots=True)
class Reading:
    """The reading of a question.

    ``measure`` is the index of the literal that its aggregation measures, ``denial`` that of a word such as *not* which
    no condition expresses.
    """

    text: str
    words: list[Word]
    literals: list[Literal] = field(default_factory=list)
    aggregation: Aggregation | None = None
    comparisons: list[Compared] = field(default_factory=list)
    measure: int | None = None
    denial: int | None = None

    def drop(self, literals: set[int]) -> None:
        """Turn literals back into plain words."""
        kept = [index for index in range(len(self.literals)) if index not in literals]
        moved = {old: new for new, old in enumerate(kept)}
        for word in self.words:
            if word.literal is not None:
                word.literal = moved.get(word.literal)
        self.literals = [self.literals[index] for index in kept]

    def masked(self) -> str:
        """The question with each value replaced by its label, to be compared with the wording of patterns."""
        parts: list[str] = []
        previous = None
        for word in self.words:
            if word.literal is None:
                parts.append(word.text)
            elif word.literal != previous:
                first = self.literals[word.literal].conditions[0]
                parts.append(words(first.owner.name) if first.operator == "is" else word.text)
            previous = word.literal
        return " ".join(parts)

    def without_values(self) -> str:
        """The text with values and quotations replaced by dots: *Most Wanted* asks for no order."""
        text = QUOTED.sub(lambda match: "." * len(match[0]), self.text)
        for word in self.words:
            if word.literal is not None and self.literals[word.literal].weight == 1:
                text = text[: word.start] + "." * (word.end - word.start) + text[word.end :]
        return text


class QuestionReader:
    """Reads questions about one graph.

    Args:
        vocabulary: the values of its text properties.
        dictionary: finds these values in a text.
    """

    def __init__(self, schema: GraphSchema, vocabulary: Vocabulary, dictionary: Dictionary) -> None:
        self.schema = schema
        self._vocabulary = vocabulary
        self._dictionary = dictionary
        self._properties = [
            (owner, property, tuple(dict.fromkeys(map(stem, telling_words(property.name)))))
            for owner in schema.owners()
            for property in schema.properties(owner).values()
        ]
        names = [*schema.labels, *schema.types]
        self._schema_words = {tuple(map(stem, telling_words(name))) for name in names}
        self._schema_words |= {stems for _, _, stems in self._properties}
        self._label_stems = {
            label: {stem(words(name)) for name in (label, *schema.synonyms.get(label, ()))} for label in schema.labels
        }
        self._schema_stems = {part for stems in self._schema_words for part in stems}
        self._superlative_names = [
            tuple(map(stem, parts))
            for parts in map(telling_words, (*names, *(property.name for _, property, _ in self._properties)))
            if len(parts) > 1 and aggregation_in(" ".join(parts))
        ]
        # Most values of a large graph are in no closed list.
        closed = {PropertyRef(owner, prop.name) for owner, prop, _ in self._properties if prop.distinct < CLOSED}
        self._phrases = Phrases(vocabulary.of(closed), plain=self._schema_stems)

    def read(self, question: str) -> Reading:
        """The words and literals of a question: first dates, then quotations, values, numbers, and flags."""
        reading = Reading(question, list(_words(question)))
        self._dates(reading)
        self._quotations(reading)
        self._values(reading)
        self._said_in_part(reading)
        reading.aggregation = aggregation_in(self._without_names(reading))
        self._numbers(reading)
        self._flags(reading)
        for word, following in zip(reading.words, [*reading.words[1:], None], strict=True):
            cue = is_cue(reading, word)
            qualifies = word.text.casefold() in QUALIFIERS and following is not None and self._tells(following)
            word.telling = word.telling and (self._tells(word) or qualifies) and not cue
            word.unread = word.literal is None and not cue and bool(_LONG_NUMBER.match(word.text))
        return reading

    def stored(self, ref: PropertyRef, text: str) -> tuple[str, ...]:
        """The values of a property that a text means: its spellings, or the same date as the graph writes it."""
        said = [condition for condition in self._vocabulary.conditions(text) if _is_of(condition, ref)]
        if said:
            return said[0].texts
        day = next((date.bounds for date in dates_in(text)), None)
        if day is None or self.schema.properties(ref.owner)[ref.property].kind != "date":
            return ()
        values = [value for condition in self._vocabulary.of({ref}) for value in condition.texts]
        return tuple(value for value in values if any(date.bounds == day for date in dates_in(value)))

    def _without_names(self, reading: Reading) -> str:
        """The text without values, and without names of the schema that contain a superlative: *the highest point*."""
        text = reading.without_values()
        for name in self._superlative_names:
            for first in range(len(reading.words) - len(name) + 1):
                words = reading.words[first : first + len(name)]
                if tuple(word.stem for word in words) == name:
                    start, end = words[0].start, words[-1].end
                    text = text[:start] + "." * (end - start) + text[end:]
        return text

    def _tells(self, word: Word) -> bool:
        if len(word.text) < 2 or not word.text[0].isalpha():
            return False
        plain = word.text.casefold() in stop_words()
        # As the first word, *name* is a command.
        return not plain or (word.start > 0 and len(word.text) > 3 and word.stem in self._schema_stems)

    def _dates(self, reading: Reading) -> None:
        """Dates with a month, and times of day, except inside quotations."""
        quoted = [match.span() for match in QUOTED.finditer(reading.text)]
        kinds: tuple[tuple[Kind, Iterator[Numbers]], ...] = (
            ("date", dates_in(reading.text)),
            ("time", times_in(reading.text)),
        )
        for kind, moments in kinds:
            for moment in moments:
                within = any(start < moment.start and moment.end < end for start, end in quoted)
                if not within and _is_free(reading, moment.start, moment.end):
                    _add(reading, moment.start, moment.end, list(self._dated(reading, moment, kind)))

    def _dated(self, reading: Reading, moment: Numbers, kind: Kind) -> Iterator[Condition]:
        """The properties that a date or time may be compared with."""
        first, last = _span(reading, moment.start, moment.end)
        for owner, property, stems in self._properties:
            if property.kind == kind:
                own = OWN_DATE * (not set(stems).isdisjoint(map(stem, telling_words(owner.name))))
                prior = max(own, _nearness(reading, first, last, stems, owner))
                for bounds in _orders(moment, property):
                    yield Condition(owner, property.name, "compare", bounds=bounds, prior=prior)

    def _quotations(self, reading: Reading) -> None:
        for match in QUOTED.finditer(reading.text):
            if not _is_free(reading, *match.span()):
                continue
            text = match[2]
            operator = part_operator(reading.text[: match.start()])
            conditions = [] if operator else self._conditions(reading, match.start(), text)
            in_schema = tuple(map(stem, telling_words(text))) in self._schema_words
            if not conditions and not in_schema and not _DIGITS.fullmatch(text):
                conditions = self._vocabulary.parts(text, operator or "contains")
            _add(reading, match.start(), match.end(), conditions)

    def _values(self, reading: Reading) -> None:
        shouted = reading.text == reading.text.casefold()
        matches = self._dictionary.find(reading.text)
        matches += self._plurals(reading, matches)
        # If one name is capitalised, a lower-case word is unlikely to be another.
        named = any(match.text != match.text.casefold() for match in matches)
        for match in matches:
            conditions = [*self._conditions(reading, match.start, *match.nodes), *self._with_label(match.text)]
            said = match.text.casefold().split()
            small = match.text == match.text.casefold()
            common = all(word in stop_words() or stem(word) in self._schema_stems for word in said)
            if not _is_free(reading, match.start, match.end) or (small and common):
                continue
            if _IDS.fullmatch(match.text) and _VALUE_NEXT.match(reading.text, match.end):
                # In *ID '3'*, it is no value, such as Idaho.
                continue
            if _DIGITS.fullmatch(match.text) and not any(map(self._is_name, conditions)):
                continue
            exact = any(match.text in condition.texts for condition in conditions)
            known = any(map(self._is_closed, conditions)) or (exact and not named)
            placed = not named and bool(_BEFORE_NAME.search(reading.text[: match.start]))
            # A word with a digit is a code.
            coded = any(letter.isdigit() for letter in match.text)
            plain = small and not shouted and len(said) == 1 and not (known or placed or coded)
            _add(reading, match.start, match.end, conditions, weight=PLAIN if plain else 1.0, small=small)

    def _with_label(self, text: str) -> list[Condition]:
        """The nodes that a text names with their label: *Red River* may be the river Red."""
        said = text.split()
        parts = ((said[-1], " ".join(said[:-1])), (said[0], " ".join(said[1:])))
        return [
            condition
            for label, name in parts
            for condition in self._vocabulary.conditions(name)
            if stem(label) in self._label_stems.get(condition.owner.name, ()) and self._is_name(condition)
        ]

    def _said_in_part(self, reading: Reading) -> None:
        """Values of several words, of which the question says most."""
        texts = ["" if word.literal is not None else word.text for word in reading.words]
        for phrase in self._phrases.find(texts):
            words = reading.words[phrase.first : phrase.last + 1]
            if all(word.literal is None for word in words):
                _add(
                    reading,
                    words[0].start,
                    words[-1].end,
                    self._conditions(reading, words[0].start, *phrase.condition.texts),
                )

    def _plurals(self, reading: Reading, others: Sequence[Match]) -> list[Match]:
        """Names in the plural, *Ewoks*, and capitalised values of closed lists: *Inspectors*."""
        matches = self._dictionary.find(_PLURAL.sub(" ", reading.text))
        known = {match.start for match in others}
        return [
            match
            for match in matches
            if match.start not in known
            and _PLURAL.match(reading.text, match.end)
            and any(
                self._is_name(condition) or (self._is_closed(condition) and match.text != match.text.casefold())
                for condition in self._vocabulary.conditions(*match.nodes)
            )
        ]

    def _conditions(self, reading: Reading, start: int, *texts: str) -> list[Condition]:
        """The conditions that a property has one of the texts as its value, or must not: *other than Berlin*."""
        conditions = self._vocabulary.conditions(*texts)
        if is_excepted(reading.text[:start]):
            return [replace(condition, operator="other") for condition in conditions]
        return conditions

    def _is_name(self, condition: Condition) -> bool:
        return self.schema.names_with(condition.owner, condition.property)

    def _is_closed(self, condition: Condition) -> bool:
        return self.schema.properties(condition.owner)[condition.property].distinct < CLOSED

    def _numbers(self, reading: Reading) -> None:
        for numbers in sorted(numbers_in(reading.text), key=lambda numbers: numbers.start):
            if not _is_free(reading, numbers.start, numbers.end) or _limits(reading, numbers):
                continue
            conditions = sorted(self._comparisons(reading, numbers), key=lambda condition: -condition.prior)
            if not numbers.compared and not (conditions and conditions[0].prior >= 0.5):
                text = reading.text[numbers.start : numbers.end].strip("'")
                named = filter(self._is_name, self._vocabulary.conditions(text))
                conditions += [replace(condition, prior=-0.2) for condition in named]
            best = [condition for condition in conditions if condition.prior >= conditions[0].prior - MARGIN]
            _add(reading, numbers.start, numbers.end, best[:MOST_PROPERTIES])
            if numbers.compared:
                reading.comparisons.append(Compared(*_span(reading, numbers.start, numbers.end), numbers.bounds))

    def _comparisons(self, reading: Reading, numbers: Numbers) -> Iterator[Condition]:
        """The properties that a number may be compared with: those that nearby words name, and years."""
        first, last = _span(reading, numbers.start, numbers.end)
        asks_for_id = any(_IDS.match(word.text) for word in reading.words)
        for owner, property, stems in self._properties:
            if property.kind not in ("number", "date") or (is_identifier(property.name) and not asks_for_id):
                continue
            fits = _fits(property, numbers)
            named = max(_nearness(reading, first, last, stems, owner), _compares(numbers, stems))
            if named > 0 or (fits and _may_be_years(property, numbers)):
                prior = named if fits else named - 0.5
                yield Condition(owner, property.name, "compare", bounds=numbers.bounds, prior=prior)

    def _flags(self, reading: Reading) -> None:
        for owner, property, stems in self._properties:
            if property.kind != "flag":
                continue
            said = [word for word in reading.words if word.stem in stems and word.literal is None]
            if {word.stem for word in said} == set(stems):
                value = not is_negated(reading.text[: said[0].start])
                condition = Condition(owner, property.name, "flag", flag=value, prior=0.5)
                _add(reading, said[0].start, said[-1].end, [condition])


def _is_of(condition: Condition, ref: PropertyRef) -> bool:
    return (condition.owner, condition.property) == (ref.owner, ref.property)


def _words(question: str) -> Iterator[Word]:
    for match in WORD.finditer(question):
        parts = CAMEL.findall(match[0]) if re.search(r"[a-z][A-Z]", match[0]) else []
        for part in parts if len(parts) > 1 else [match[0]]:
            yield Word(part, match.start(), match.end(), stem(part))


def is_cue(reading: Reading, word: Word) -> bool:
    """Whether a word belongs to the aggregation."""
    cues = reading.aggregation.cues if reading.aggregation else ()
    return any(word.start < end and word.end > start for start, end in cues)


def _limits(reading: Reading, numbers: Numbers) -> bool:
    """Whether a number limits the nodes of the answer."""
    cues = reading.aggregation.cues if reading.aggregation else ()
    return any(start <= numbers.start and numbers.end <= end for start, end in cues)


def _span(reading: Reading, start: int, end: int) -> tuple[int, int]:
    indexes = [index for index, word in enumerate(reading.words) if word.start < end and word.end > start]
    return indexes[0], indexes[-1]


def _is_free(reading: Reading, start: int, end: int) -> bool:
    return all(word.literal is None for word in reading.words if word.start < end and word.end > start)


def _add(
    reading: Reading,
    start: int,
    end: int,
    conditions: Sequence[Condition],
    *,
    weight: float = 1.0,
    small: bool = False,
) -> None:
    if not conditions:
        return
    first, last = _span(reading, start, end)
    for word in reading.words[first : last + 1]:
        word.literal = len(reading.literals)
        word.telling = small
    reading.literals.append(Literal(first, last, conditions, weight, small))


def _fits(property: PropertySchema, numbers: Numbers) -> bool:
    if property.kind == "date":
        return True
    for comparison, value in numbers.bounds:
        below = comparison in ("=", ">", ">=") and value > property.greatest
        above = comparison in ("=", "<", "<=") and value < property.least
        if below or above:
            return False
    return True


def _orders(moment: Numbers, property: PropertySchema) -> Iterator[tuple[Bound, ...]]:
    """The bounds that a date may mean: as the graph writes its dates, else with the day and with the month first."""
    if not moment.others or property.form.startswith("d"):
        yield moment.bounds
    elif property.form:
        yield moment.others
    else:
        yield from (moment.bounds, moment.others)


def _may_be_years(property: PropertySchema, numbers: Numbers) -> bool:
    years = any(YEARS[0] <= value <= YEARS[1] for _, value in numbers.bounds)
    return years and (property.kind == "date" or (property.least >= YEARS[0] and property.greatest <= YEARS[1]))


def _nearness(reading: Reading, first: int, last: int, stems: Sequence[str], owner: Owner) -> float:
    """How well the words around a number name a property, 0 to 1; nearer words count more."""
    best: dict[str, float] = {}
    for index, word in enumerate(reading.words):
        part = next((part for part in stems if _same(word.stem, part)), None)
        if word.literal is None and part:
            distance = first - index if index < first else index - last + 1
            best[part] = max(best.get(part, 0.0), math.exp(-max(0, distance - 2) / 5))
    own = set(stems) - set(map(stem, telling_words(owner.name))) or set(stems)
    return sum(best.values()) / len(stems) if own & best.keys() else 0.0


def _compares(numbers: Numbers, stems: Sequence[str]) -> float:
    """How well an adjective fits a property: one over its number of words if it has one of the nouns."""
    return 1 / len(stems) if not set(stems).isdisjoint(map(stem, numbers.nouns)) else 0.0


def _same(word: str, part: str) -> bool:
    begins = word.startswith(part) or part.startswith(word)
    return word == part or (min(len(word), len(part)) > 3 and begins) or alike(word, part) >= 0.9
