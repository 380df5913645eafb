"""A deterministic synthetic corpus of any size: passages, their triples, and vectors without a model.

Its shape is that of musique_train100 (1,890 passages, 17,234 triples, 16,246 entities): a passage is mostly about one
entity, four of its ten triples in five end at an entity that no other passage mentions, and the rest lead to the
subjects of other passages. There are hubs, too: the first is in one triple of thirty, the second in half as many, and
so on.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gear_neo4j.domain import Passage, Triple, make_triple
from gear_neo4j.models.embeddings import Vectors

TRIPLES_A_PASSAGE = 10
# The number of the ten triples about the main entity of the passage.
OWN = 7
HUBS = 40
LARGEST_HUB = 1 / 30
# Share of the objects that are not hubs.
SHARED = 0.1
# Passages per topic, like the pages of a handbook.
TOPIC = 25
WORDS = 16_384
PREDICATES = 200
_SYLLABLES = [a + b for a in (*"bdfhklmnprtvz", "ch", "gl", "st") for b in "aeiou"]
_LITTLE_WORDS = ("of", "by", "in", "for", "at", "to")
_MASK = 2**64 - 1
_WORD = re.compile(r"\w+")
Numbers = NDArray[np.int64]


class WordVectors:
    """Sentence vectors without a model: the normalised sum of a random vector for each word.

    Texts that share words are close, as triples that share an entity are under a real model.
    """

    name = "word-vectors"
    dimension = 384

    def __init__(self) -> None:
        self._table = np.random.default_rng(0).standard_normal((WORDS, self.dimension), dtype=np.float32)

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        # Another process creates the table itself.
        return type(self), ()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            numbers = [crc32(word.encode()) % WORDS for word in _WORD.findall(text.lower())]
            rows[index] = self._table[numbers or [0]].sum(axis=0)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


@dataclass(frozen=True, slots=True)
class TwoHopQuestion:
    """A question and the two passages that answer it together."""

    question: str
    gold: tuple[str, str]


@dataclass(frozen=True, slots=True)
class SyntheticCorpus:
    """A corpus of this number of passages; the same seed gives the same corpus."""

    passages: int
    seed: int = 0

    @property
    def triples(self) -> int:
        """The number of triples."""
        return self.passages * TRIPLES_A_PASSAGE

    def hub_degree(self, rank: int) -> float:
        """The expected degree of the hub of a rank, from 1."""
        return self.triples * LARGEST_HUB / rank

    def batches(self, *, size: int = 100, start: int = 0) -> Iterator[list[tuple[Passage, list[Triple]]]]:
        """Batches of passages with their triples, in order of their number."""
        for first in range(start, self.passages, size):
            yield self._batch(np.arange(first, min(first + size, self.passages)))

    def questions(self, count: int) -> list[TwoHopQuestion]:
        """Two-hop questions: about the object of a triple of the first passage, answered by the second."""
        questions: list[TwoHopQuestion] = []
        for number in range(self.passages):
            # Spread over the corpus.
            question = self._question(mixed(number, self.seed + 5) % self.passages)
            questions += [question] if question else []
            if len(questions) == count:
                break
        return questions

    def _question(self, number: int) -> TwoHopQuestion | None:
        ((passage, triples),) = self._batch(np.array([number]))
        indexes = number * TRIPLES_A_PASSAGE + np.arange(OWN)
        for column, kind in enumerate(self._kinds(indexes)):
            if kind != -1:
                continue
            ((other, stated),) = self._batch(self._others(indexes)[column : column + 1])
            if other.id != passage.id:
                first, second = triples[column].predicate, stated[0].predicate
                return TwoHopQuestion(f"What {second} the one that {passage.title} {first}?", (passage.id, other.id))
        return None

    def _batch(self, numbers: Numbers) -> list[tuple[Passage, list[Triple]]]:
        indexes = numbers[:, None] * TRIPLES_A_PASSAGE + np.arange(TRIPLES_A_PASSAGE)
        kinds, others = self._kinds(indexes), self._others(indexes)
        predicate = (PREDICATES * _uniform(indexes, self.seed, salt=4) ** 2).astype(np.int64)
        batch = []
        for row, number in enumerate(numbers.tolist()):
            main = self._main(number)
            leaves = [self._leaf(index, number) for index in indexes[row].tolist()]
            facts = []
            for column in range(TRIPLES_A_PASSAGE):
                kind = int(kinds[row, column])
                if kind > 0:
                    object = f"{random_word(kind, 91)} {random_word(kind, 92)}".title()
                elif kind < 0:
                    object = self._main(int(others[row, column]))
                else:
                    object = leaves[column]
                subject = main if column < OWN else leaves[column - OWN]
                facts.append((subject, _predicate(int(predicate[row, column])), object))
            text = " ".join(f"{subject} {predicate} {object}." for subject, predicate, object in facts)
            passage = Passage(f"made-{self.seed}-{number:07}", main, text)
            # A hub that is drawn twice can give the same triple twice.
            triples = {triple.id: triple for triple in (make_triple(passage.id, *fact) for fact in facts)}
            batch.append((passage, list(triples.values())))
        return batch

    def _kinds(self, indexes: Numbers) -> Numbers:
        """The object at a position: the rank of a hub, -1 for another passage's subject, or 0 for a leaf."""
        shares = np.cumsum([self.hub_degree(rank) / self.triples for rank in range(1, HUBS + 1)])
        rank = np.searchsorted(shares, _uniform(indexes, self.seed, salt=1)) + 1
        shared = np.where(_uniform(indexes, self.seed, salt=2) < SHARED, -1, 0)
        return np.where(rank <= HUBS, rank, shared)

    def _others(self, indexes: Numbers) -> Numbers:
        """The number of the passage about the object; skewed to early ones, as popular entities are."""
        return (self.passages * _uniform(indexes, self.seed, salt=3) ** 2).astype(np.int64)

    def _main(self, number: int) -> str:
        return _name(number, self.seed, number // TOPIC).title()

    def _leaf(self, index: int, number: int) -> str:
        return _name(index, self.seed + 2, number // TOPIC)


def _name(number: int, salt: int, topic: int) -> str:
    return f"{random_word(number, salt)} {random_word(number, salt + 1)} {random_word(topic, 93)}"


def _predicate(number: int) -> str:
    return f"{random_word(number, 94)} {_LITTLE_WORDS[number % len(_LITTLE_WORDS)]}"


def random_word(number: int, salt: int) -> str:
    """A word of three syllables; the same number and salt give the same one."""
    drawn = mixed(number, salt)
    return "".join(_SYLLABLES[(drawn >> shift) % len(_SYLLABLES)] for shift in (0, 20, 40))


def mixed(number: int, salt: int) -> int:
    """A pseudo-random hash of a number (splitmix64), so that any item can be generated separately."""
    mixed = (number * 0x9E3779B97F4A7C15 + salt * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


def _uniform(numbers: Numbers, seed: int, *, salt: int) -> NDArray[np.float64]:
    """A number in [0, 1) for each number."""
    drawn = [mixed(number, 1_000 * salt + seed) for number in numbers.ravel().tolist()]
    return (np.array(drawn, dtype=np.uint64) / 2.0**64).reshape(numbers.shape)
