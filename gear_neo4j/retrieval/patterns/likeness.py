"""The likeness of a question's words to the names in a schema: by their stems, else by their embeddings."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Literal

import numpy as np

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.models.embeddings import Embedder, Vectors
from gear_neo4j.retrieval.patterns.language import (
    BROADER,
    NAMES_OF_TWO_WORDS,
    PARTICLES,
    STANDS_FOR,
    Stems,
    stem,
    telling_words,
    without_possessive,
)
from gear_neo4j.retrieval.patterns.reading import Reading

# Minimum likeness at which a word supports an element.
SUPPORTS = 0.5
# The minimum cosine of two related words, and the cosines that map to a likeness of 0 and to the maximum.
RELATED = 0.4
NOTHING, CERTAIN = 0.3, 0.8
MOST_BY_COSINE = 0.85
LEAST = 0.2
SHARED = stem("share")
# Maximum number of cached vectors: at 384 dimensions they take 30 MB.
MOST_KEPT = 20_000
# Of the elements for a word, only those count whose likeness is at least this share of the best one's.
NEARLY = 0.75
# Part of a name that may be initials, and their likeness to words that begin so.
_INITIALS = re.compile(r"[b-df-hj-np-tv-xz]{2,3}")
BY_INITIALS = 0.9
# Words in the names of relationships that say where something is; how much *where* resembles them.
_IN = frozenset({"in", "at", "within"})
_LOCATED = frozenset(
    """
    address based born happened headquartered lies lived lives located location occurred place resided residence resides
    situated
    """.split()  # noqa: SIM905
)
LOCATED = 0.85


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the schema: a label, a relationship type, or a property of one."""

    kind: Literal["label", "type", "property"]
    name: str
    property: str = ""


Likeness = Mapping[int, Mapping[Element, float]]


class Likenesses:
    """The likeness of words to the elements of one schema; caches the vectors of texts."""

    def __init__(self, schema: GraphSchema, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: dict[str, Vectors] = {}
        self._lock = Lock()
        self._schema = schema
        parts = {element: of for element, name in self._names() if (of := self._words(name))}
        self._elements = tuple(parts)
        self._parts = tuple(dict.fromkeys(part for of in parts.values() for part in of))
        self._stems = Stems(tuple(map(stem, self._parts)))
        self._initials: dict[str, list[Element]] = defaultdict(list)
        for element, of in parts.items():
            for part in of:
                if _INITIALS.fullmatch(part) and len(of) > 1:
                    self._initials[part].append(element)
        indexes = {part: index for index, part in enumerate(self._parts)}
        # The parts of all elements, one element after the other, and the offset of each element.
        self._flat = [indexes[part] for of in parts.values() for part in of]
        self._starts = np.cumsum([0, *map(len, parts.values())])[:-1]

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row each; cached texts are not encoded again."""
        with self._lock:
            rows = {text: self._kept[text] for text in texts if text in self._kept}
        missing = [text for text in dict.fromkeys(texts) if text not in rows]
        if missing:
            rows |= zip(missing, self._embedder.embed(missing), strict=True)
            with self._lock:
                if len(self._kept) + len(missing) > MOST_KEPT:
                    self._kept.clear()
                self._kept |= rows
        return np.array([rows[text] for text in texts])

    def of(self, reading: Reading) -> Likeness:
        """For each content word, by its index, the schema elements that it resembles, with a likeness of 0 to 1."""
        indexes = [index for index, word in enumerate(reading.words) if word.telling or _asks(reading, index)]
        meant = [self._meant(reading, index) for index in indexes]
        if not indexes or not self._parts:
            return {}
        flat = [text for texts in meant for text in texts]
        cosines = self.vectors(flat) @ self._part_vectors.T
        likeness: dict[int, dict[Element, float]] = {}
        row = 0
        for index, texts in zip(indexes, meant, strict=True):
            nearest = cosines[row : row + len(texts)].max(axis=0)
            row += len(texts)
            likeness[index] = self._row([stem(text) for text in texts], nearest)
        for index in indexes:
            likeness[index] |= dict.fromkeys(self._said_by_initials(reading, index), BY_INITIALS)
            if reading.words[index].text.casefold() == "where":
                known = likeness[index]
                known |= {element: max(value, known.get(element, 0.0)) for element, value in self._holding.items()}
        for index, following in pairwise(indexes):
            if reading.words[index].stem == SHARED and max(likeness[index].values(), default=0.0) < CERTAIN:
                # What films share, each of them has: the word counts as the next one.
                likeness[index] = {
                    element: value for element, value in likeness[following].items() if element.kind == "type"
                }
        return likeness

    @cached_property
    def _holding(self) -> dict[Element, float]:
        """The types that say where something is, and the labels of what holds it: Lund IN Sweden."""
        found: dict[Element, float] = {}
        for tie in self._schema.ties:
            parts = words(tie.type).split()
            if parts[0] in _IN or parts[-1] == "at" or not _LOCATED.isdisjoint(parts):
                found |= {Element("type", tie.type): LOCATED, Element("label", tie.end): LOCATED}
        return found

    def _said_by_initials(self, reading: Reading, index: int) -> Iterator[Element]:
        """The elements whose names have the initials of a word and those after it: *lives with* is KNOWS_LW."""
        for length in (2, 3):
            words = [word.text.casefold() for word in reading.words[index : index + length]]
            yield from self._initials.get("".join(word[0] for word in words), ())

    def labels_like(self, texts: Sequence[str], labels: Sequence[str]) -> dict[str, float]:
        """For each label, the greatest cosine of its name or a synonym with any of the texts."""
        names = [(label, name) for label in labels for name in (words(label), *self._schema.synonyms.get(label, ()))]
        rows = self.vectors([*texts, *(name for _, name in names)])
        greatest = (rows[: len(texts)] @ rows[len(texts) :].T).max(axis=0).tolist()
        cosines: dict[str, float] = {}
        for (label, _), cosine in zip(names, greatest, strict=True):
            cosines[label] = max(cosine, cosines.get(label, cosine))
        return cosines

    def _meant(self, reading: Reading, index: int) -> tuple[str, ...]:
        """What a word is looked up as: what it stands for, or itself, with what it is one of and the word after it."""
        word = reading.words[index].text.casefold()
        if word in STANDS_FOR:
            return STANDS_FOR[word]
        following = [after.text.casefold() for after in reading.words[index + 1 : index + 2]]
        if following and (word, following[0]) in NAMES_OF_TWO_WORDS:
            return (NAMES_OF_TWO_WORDS[word, following[0]],)
        own = without_possessive(word)
        if self._stems.alike(stem(own)):
            return (word,)
        # A river *runs through* a state: a verb alone says less.
        particles = (f"{word} {particle}" for particle in following if particle in PARTICLES)
        return (word, *BROADER.get(own, ()), *particles)

    def _names(self) -> Iterator[tuple[Element, str]]:
        """The elements of the schema, each with its name."""
        yield from ((Element("label", label), label) for label in self._schema.labels)
        yield from ((Element("type", type), type) for type in self._schema.types if type not in self._schema.mute)
        for owner in self._schema.owners():
            yield from ((Element("property", owner.name, name), name) for name in self._schema.properties(owner))

    @cached_property
    def _part_vectors(self) -> Vectors:
        return self._embedder.embed(self._parts)

    def _words(self, name: str) -> tuple[str, ...]:
        """The words of a schema name and of its synonyms."""
        return (
            *telling_words(name),
            *(word for text in self._schema.synonyms.get(name, ()) for word in telling_words(text)),
        )

    def _row(self, stems: Sequence[str], cosines: Vectors) -> dict[Element, float]:
        """The elements that resemble any of the stems; cosines only count for words that are no form of a stem."""
        by_part = _by_cosines(cosines)
        forms: dict[int, float] = {}
        for word in stems:
            for index, value in self._stems.alike(word).items():
                forms[index] = max(value, forms.get(index, 0.0))
        by_part[list(forms)] = list(forms.values())
        values = np.maximum.reduceat(by_part[self._flat], self._starts)
        kept = np.flatnonzero(values >= max(LEAST, NEARLY * values.max()))
        return {self._elements[index]: float(values[index]) for index in kept}


def by_cosine(cosine: float) -> float:
    """The likeness for a cosine, 0 to 0.85.

    Example:
        >>> by_cosine(0.35), round(by_cosine(0.5), 2), by_cosine(1.0)
        (0.0, 0.4, 0.85)
    """
    return float(_by_cosines(np.array(cosine)))


def _by_cosines(cosines: Vectors) -> Vectors:
    likeness = (cosines.astype(np.float64) - NOTHING) / (CERTAIN - NOTHING)
    return np.where(cosines > RELATED, np.clip(likeness, 0.0, MOST_BY_COSINE), 0.0)


def _asks(reading: Reading, index: int) -> bool:
    word = reading.words[index]
    return word.literal is None and word.text.casefold() in STANDS_FOR
