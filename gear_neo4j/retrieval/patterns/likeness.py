"""How alike the words of a question and the names of a schema are: by their stems, else by their embeddings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Literal

import numpy as np

from gear_neo4j.graph.graph_schema import GraphSchema
from gear_neo4j.graph.typegraph import words
from gear_neo4j.models.embeddings import Embedder, Vectors
from gear_neo4j.retrieval.patterns.language import STANDS_FOR, alike, stem, telling_words
from gear_neo4j.retrieval.patterns.reading import Reading

# A cosine of two words from which they may mean the same, and the cosines that stand for 0 and for all but certain.
RELATED = 0.4
NOTHING, CERTAIN = 0.3, 0.8
MOST_BY_COSINE = 0.85
LEAST = 0.2
SHARED = stem("share")
# Texts whose vectors are kept: those of 384 dimensions take 30 MB.
MOST_KEPT = 20_000
# Beside the best element for a word only those count that are nearly as like it.
NEARLY = 0.75


@dataclass(frozen=True, slots=True)
class Element:
    """A name of the schema: a label, a type, or a property of one of them."""

    kind: Literal["label", "type", "property"]
    name: str
    property: str = ""


Likeness = Mapping[int, Mapping[Element, float]]


class Likenesses:
    """Likeness of words to the elements of one schema; vectors of words and wordings are kept."""

    def __init__(self, schema: GraphSchema, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: dict[str, Vectors] = {}
        self._lock = Lock()
        self._schema = schema
        self._elements = {Element("label", label): self._words(label) for label in schema.labels}
        self._elements |= {Element("type", type): self._words(type) for type in schema.types}
        for owner in schema.owners():
            for name in schema.properties(owner):
                self._elements[Element("property", owner.name, name)] = self._words(name)
        self._parts = tuple(dict.fromkeys(part for parts in self._elements.values() for part in parts))
        self._stems = tuple(map(stem, self._parts))
        self._places = {part: place for place, part in enumerate(self._parts)}

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """One row a text; texts seen before cost nothing, as long as there are not too many of them."""
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
        """For each content word of a question, by its place, the schema elements like it, each from 0 to 1."""
        places = [place for place, word in enumerate(reading.words) if word.telling or _asks(reading, place)]
        meant = [STANDS_FOR.get((word := reading.words[place].text.casefold()), (word,)) for place in places]
        if not places or not self._parts:
            return {}
        flat = [text for texts in meant for text in texts]
        cosines = self.vectors(flat) @ self.vectors(self._parts).T
        found: dict[int, dict[Element, float]] = {}
        row = 0
        for place, texts in zip(places, meant, strict=True):
            nearest = cosines[row : row + len(texts)].max(axis=0)
            row += len(texts)
            found[place] = self._row([stem(text) for text in texts], nearest)
        for place, following in pairwise(places):
            if reading.words[place].stem == SHARED and max(found[place].values(), default=0.0) < CERTAIN:
                # What films share, each of them has: the word counts as the one after it.
                found[place] = {element: value for element, value in found[following].items() if element.kind == "type"}
        return found

    def labels_like(self, texts: Sequence[str], labels: Sequence[str]) -> dict[str, float]:
        """The greatest cosine of each label, or of a synonym of it, with any of the texts."""
        names = [(label, name) for label in labels for name in (words(label), *self._schema.synonyms.get(label, ()))]
        rows = self.vectors([*texts, *(name for _, name in names)])
        greatest = (rows[: len(texts)] @ rows[len(texts) :].T).max(axis=0).tolist()
        cosines: dict[str, float] = {}
        for (label, _), cosine in zip(names, greatest, strict=True):
            cosines[label] = max(cosine, cosines.get(label, cosine))
        return cosines

    def _words(self, name: str) -> tuple[str, ...]:
        """The words of a name in the schema, and those of its synonyms."""
        return (
            *telling_words(name),
            *(word for text in self._schema.synonyms.get(name, ()) for word in telling_words(text)),
        )

    def _row(self, stems: Sequence[str], cosines: Vectors) -> dict[Element, float]:
        by_part = [
            max(alike(word, part) for word in stems) or by_cosine(float(cosine))
            for part, cosine in zip(self._stems, cosines, strict=True)
        ]
        values = {
            element: max(by_part[self._places[part]] for part in parts) for element, parts in self._elements.items()
        }
        least = max(LEAST, NEARLY * max(values.values()))
        return {element: value for element, value in values.items() if value >= least}


def by_cosine(cosine: float) -> float:
    """Likeness by a cosine, 0 to 0.85.

    Example:
        >>> by_cosine(0.35), round(by_cosine(0.5), 2), by_cosine(1.0)
        (0.0, 0.4, 0.85)
    """
    if cosine <= RELATED:
        return 0.0
    return max(0.0, min(MOST_BY_COSINE, (cosine - NOTHING) / (CERTAIN - NOTHING)))


def _asks(reading: Reading, place: int) -> bool:
    word = reading.words[place]
    return word.literal is None and word.text.casefold() in STANDS_FOR
