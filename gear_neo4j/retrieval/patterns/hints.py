"""What a question's words say about the schema, and which words are next to which, independent of any pattern."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise

from gear_neo4j.retrieval.patterns.language import names_a_doer
from gear_neo4j.retrieval.patterns.likeness import SUPPORTS, Element, Likeness
from gear_neo4j.retrieval.patterns.possessives import Possessives
from gear_neo4j.retrieval.patterns.reading import Reading
from gear_neo4j.retrieval.patterns.target import NAMES, TargetLabels
from gear_neo4j.retrieval.patterns.unused import unused

_RELATIVE = frozenset({"who", "whose"})
_SHARED = re.compile(r"\b(?:same|both|them|who (?:has|have))\b", re.IGNORECASE)


@dataclass(frozen=True)
class Hints:
    """The hints in one question."""

    reading: Reading
    likeness: Likeness
    wanted: TargetLabels
    possessives: Possessives = field(default_factory=lambda: Possessives({}))

    @cached_property
    def content(self) -> Mapping[int, list[tuple[Element, float]]]:
        """For each content word, the schema elements that it resembles, best first."""
        content = {}
        for index, row in self.likeness.items():
            kept = row.items()
            if index in self.wanted.appositions:
                # The director Ann: she has directed something.
                kinds = ("label", "type") if names_a_doer(self.reading.words[index].text) else ("label",)
                kept = {element: value for element, value in row.items() if element.kind in kinds}.items()
            if self.reading.words[index].telling:
                content[index] = sorted(kept, key=lambda entry: -entry[1])
        return content

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """The names that are neither values of the graph nor like a word of its schema."""
        words = self.reading.words
        foreign = {
            index
            for index, row in self.content.items()
            if words[index].literal is None and all(value < SUPPORTS for _, value in row)
        }
        return unused(self.reading, foreign).names

    @cached_property
    def beside(self) -> Mapping[int, Mapping[str, float]]:
        """For each literal, the types that the nearest word supports."""
        return {
            number: self._types_near(partial(_distance, first=literal.first, last=literal.last))
            for number, literal in enumerate(self.reading.literals)
        }

    @cached_property
    def behind(self) -> Sequence[tuple[int, int, bool]]:
        """Pairs of consecutive literals, and whether the second one is about the first, instead of about the answer.

        *Friends of Ann, who knows Bob*; but *friends of Ann and of Bob*. Other pairs say neither.
        """
        ordered = sorted(enumerate(self.reading.literals), key=lambda entry: entry[1].first)
        pairs: list[tuple[int, int, bool]] = []
        for (number, literal), (other, following) in pairwise(ordered):
            between = [word.text.casefold() for word in self.reading.words[literal.last + 1 : following.first]]
            first = between[1:2] if between[:1] == [","] else between[:1]
            if first and first[0] in _RELATIVE:
                pairs.append((number, other, True))
            elif "and" in between and _RELATIVE.isdisjoint(between[between.index("and") :]):
                pairs.append((number, other, False))
        return pairs

    @cached_property
    def asked(self) -> Mapping[str, float]:
        """The types that the word nearest to the question word supports: *who directed*, *written by whom*."""
        asking = self.wanted.question_word
        if asking is None:
            return {}
        if self.reading.words[asking].text.casefold() == "where":
            row = self.likeness.get(asking, {})
            return {element.name: value for element, value in row.items() if element.kind == "type"}
        return self._types_near(lambda index: index - asking if index >= asking else asking - index + 0.5)

    def _types_near(self, distance: Callable[[int], float]) -> Mapping[str, float]:
        """The types that the nearest word supports, among words that support any."""
        return self._types[min(self._types, key=distance)] if self._types else {}

    @cached_property
    def _types(self) -> Mapping[int, Mapping[str, float]]:
        """The types that words support, by index; without appositions, and without types that must be absent."""
        conditions = [condition for literal in self.reading.literals for condition in literal.conditions]
        absent = {condition.texts[0] for condition in conditions if condition.operator == "absent"}
        supported = {
            index: {
                element.name: value
                for element, value in row
                if element.kind == "type" and value >= SUPPORTS and element.name not in absent
            }
            for index, row in self.content.items()
            if index not in self.wanted.appositions
        }
        return {index: types for index, types in supported.items() if types}

    def distances(self, label: str, first: int, last: int) -> Iterator[tuple[int, float]]:
        """For each word that names a label, its distance from a literal and its likeness."""
        element = Element("label", label)
        for index, row in self.likeness.items():
            if (value := row.get(element, 0.0)) >= NAMES:
                yield (first - index if index < first else index - last + 1), value

    @cached_property
    def first_words(self) -> Mapping[str, int]:
        """For each type, the index of the first content word that resembles it."""
        first_words: dict[str, int] = {}
        for index, row in self.content.items():
            for element, _ in row:
                if element.kind == "type":
                    first_words.setdefault(element.name, index)
        return first_words

    @cached_property
    def label_values(self) -> Mapping[str, list[float]]:
        """For each label, the likenesses of the words that name it, greatest first."""
        values: dict[str, list[float]] = {}
        for index, row in self.likeness.items():
            for element, value in row.items():
                if element.kind == "label" and index not in self.wanted.appositions:
                    values.setdefault(element.name, []).append(value)
        return {label: sorted(likenesses, reverse=True) for label, likenesses in values.items()}

    def mentions(self, label: str) -> int:
        """How many words name a label, and nothing else better: *supplied* names a relationship."""
        element = Element("label", label)
        return sum(
            NAMES <= row.get(element, 0.0) == max(row.values())
            for index, row in self.likeness.items()
            if row and index not in self.wanted.appositions
        )

    @cached_property
    def said(self) -> frozenset[str]:
        """The labels and types that words of the question support, and the labels it may ask for."""
        supported = (
            element.name
            for row in self.likeness.values()
            for element, value in row.items()
            if element.kind != "property" and value >= SUPPORTS
        )
        return frozenset(supported) | self.wanted.labels.keys()

    @cached_property
    def shares(self) -> bool:
        """Whether the question asks for something that two relationships share, such as *the same film*."""
        return bool(_SHARED.search(self.reading.text))


def _distance(index: int, *, first: int, last: int) -> float:
    """The distance of a word from a name; a word after it counts as farther, since it may belong to what follows."""
    return first - index if index < first else 2 * (index - last) + 0.5
