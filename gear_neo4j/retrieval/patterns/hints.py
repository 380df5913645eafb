"""What a question says of the schema, wherever a pattern puts it: by its words, and by which stand next to which."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from gear_neo4j.retrieval.patterns.language import names_a_doer
from gear_neo4j.retrieval.patterns.likeness import Element, Likeness
from gear_neo4j.retrieval.patterns.reading import Reading
from gear_neo4j.retrieval.patterns.target import NAMES, TargetLabels

# A word supports a type from this likeness on.
SUPPORTS = 0.5
_SHARED = re.compile(r"\b(?:same|both|them|who (?:has|have))\b", re.IGNORECASE)


@dataclass(frozen=True)
class Hints:
    """The hints of one question."""

    reading: Reading
    likeness: Likeness
    wanted: TargetLabels

    @cached_property
    def content(self) -> Mapping[int, list[tuple[Element, float]]]:
        """For each content word the schema elements that are like it, best first."""
        content = {}
        for place, row in self.likeness.items():
            kept = row.items()
            if place in self.wanted.appositions:
                # The director Ann has directed something.
                kinds = ("label", "type") if names_a_doer(self.reading.words[place].text) else ("label",)
                kept = {element: value for element, value in row.items() if element.kind in kinds}.items()
            if self.reading.words[place].telling:
                content[place] = sorted(kept, key=lambda entry: -entry[1])
        return content

    @cached_property
    def beside(self) -> Mapping[int, Mapping[str, float]]:
        """For each literal, the types that the word nearest to it supports."""
        return {
            number: self._types_near(partial(_distance, first=literal.first, last=literal.last))
            for number, literal in enumerate(self.reading.literals)
        }

    @cached_property
    def asked(self) -> Mapping[str, float]:
        """The types supported by the word nearest to the one that asks: *who directed*, *written by whom*."""
        asking = self.wanted.place
        if asking is None:
            return {}
        return self._types_near(lambda place: place - asking if place >= asking else asking - place + 0.5)

    def _types_near(self, distance: Callable[[int], float]) -> Mapping[str, float]:
        """The types supported by the nearest word that supports any."""
        return self._types[min(self._types, key=distance)] if self._types else {}

    @cached_property
    def _types(self) -> Mapping[int, Mapping[str, float]]:
        """The types that words support, by place; without appositions, and without what nodes must not have."""
        conditions = [condition for literal in self.reading.literals for condition in literal.conditions]
        absent = {condition.texts[0] for condition in conditions if condition.operator == "absent"}
        supported = {
            place: {
                element.name: value
                for element, value in row
                if element.kind == "type" and value >= SUPPORTS and element.name not in absent
            }
            for place, row in self.content.items()
            if place not in self.wanted.appositions
        }
        return {place: types for place, types in supported.items() if types}

    def distances(self, label: str, first: int, last: int) -> Iterator[tuple[int, float]]:
        """How far the words that name a label are from a literal, and how like it they are."""
        element = Element("label", label)
        for place, row in self.likeness.items():
            if (value := row.get(element, 0.0)) >= NAMES:
                yield (first - place if place < first else place - last + 1), value

    @cached_property
    def first_words(self) -> Mapping[str, int]:
        """The place of the first content word that is like each type."""
        places: dict[str, int] = {}
        for place, row in self.content.items():
            for element, _ in row:
                if element.kind == "type":
                    places.setdefault(element.name, place)
        return places

    @cached_property
    def label_values(self) -> Mapping[str, list[float]]:
        """The likenesses of the words that name each label, greatest first."""
        values: dict[str, list[float]] = {}
        for place, row in self.likeness.items():
            for element, value in row.items():
                if element.kind == "label" and place not in self.wanted.appositions:
                    values.setdefault(element.name, []).append(value)
        return {label: sorted(found, reverse=True) for label, found in values.items()}

    @cached_property
    def said(self) -> frozenset[str]:
        """The labels and types that words of the question support, and the labels that it may ask for."""
        supported = (
            element.name
            for row in self.likeness.values()
            for element, value in row.items()
            if element.kind != "property" and value >= SUPPORTS
        )
        return frozenset(supported) | self.wanted.labels.keys()

    @cached_property
    def shares(self) -> bool:
        """Whether the question asks for what two relationships have in common, such as *the same film*."""
        return bool(_SHARED.search(self.reading.text))


def _distance(place: int, *, first: int, last: int) -> float:
    """How far a word is from a name; one behind it is farther, for it may belong to what follows."""
    return first - place if place < first else 2 * (place - last) + 0.5
