"""A question as it is read: its words, the values, numbers and flags that it states, and its aggregation."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.retrieval.dictionary import Dictionary
from gear_neo4j.retrieval.patterns.aggregation import Aggregation, Span
from gear_neo4j.retrieval.patterns.condition import QUOTED, Bound, Condition
from gear_neo4j.retrieval.patterns.language import CAMEL, WORD, stem
from gear_neo4j.retrieval.patterns.vocabulary import Vocabulary


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

    def overlaps(self, spans: Iterable[Span]) -> bool:
        """Whether it shares a character with one of the spans."""
        return any(self.start < end and self.end > start for start, end in spans)


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


@dataclass
class Reading:
    """The reading of a question.

    ``known`` has the values of the graph that the question may say. ``measure`` is the index of the literal that its
    aggregation measures, ``denial`` that of a word such as *not* which no condition expresses.
    """

    text: str
    words: list[Word]
    known: Vocabulary
    literals: list[Literal] = field(default_factory=list)
    aggregation: Aggregation | None = None
    comparisons: list[Compared] = field(default_factory=list)
    measure: int | None = None
    denial: int | None = None

    @cached_property
    def names(self) -> Dictionary:
        """Finds these values in a text."""
        return Dictionary(self.known.named())

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


def words_of(question: str) -> Iterator[Word]:
    """The words of a question; those of a name in camel case are read apart."""
    for match in WORD.finditer(question):
        parts = CAMEL.findall(match[0]) if re.search(r"[a-z][A-Z]", match[0]) else []
        for part in parts if len(parts) > 1 else [match[0]]:
            yield Word(part, match.start(), match.end(), stem(part))


def is_cue(reading: Reading, word: Word) -> bool:
    """Whether a word belongs to the aggregation."""
    return reading.aggregation is not None and word.overlaps(reading.aggregation.cues)


def span(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """The first and last word of a part of the text."""
    indexes = [index for index, word in enumerate(reading.words) if word.start < end and word.end > start]
    return indexes[0], indexes[-1]


def is_free(reading: Reading, start: int, end: int) -> bool:
    """Whether no literal has a word of a part of the text."""
    return all(word.literal is None for word in reading.words if word.start < end and word.end > start)


def add(
    reading: Reading,
    start: int,
    end: int,
    conditions: Sequence[Condition],
    *,
    weight: float = 1.0,
    small: bool = False,
) -> None:
    """Add a literal for a part of the text, unless it has no conditions."""
    if not conditions:
        return
    first, last = span(reading, start, end)
    for word in reading.words[first : last + 1]:
        word.literal = len(reading.literals)
        word.telling = small
    reading.literals.append(Literal(first, last, conditions, weight, small))
