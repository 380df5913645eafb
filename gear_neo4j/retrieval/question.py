"""The question of one search: checked once, encoded once, with the time of each part."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from gear_neo4j.domain import Hits, Path
from gear_neo4j.errors import InputError
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.usage import Usage


def checked(question: str, *, k: int = 1) -> str:
    """A question on one line, without surrounding spaces.

    Raises:
        InputError: it is blank, or k is below 1.

    Example:
        >>> checked("  Who drew\\n the harbour?", k=10)
        'Who drew the harbour?'
    """
    # A terminal can pass bytes that are not text; models and databases refuse them.
    text = " ".join(question.encode("utf-8", "replace").decode("utf-8").split())
    if not text:
        raise InputError("the question is empty: ask something")
    if k < 1:
        raise InputError(f"k is {k}: ask for at least 1 passage")
    return text


class Question:
    """A question's text, its vector (made when first needed) and the milliseconds that each part of the search took.

    ``cosines`` has those of the passages that it was compared with, by id; ``similarity`` is the best one. ``paths``
    has those of other searches for the question.

    Raises:
        InputError: the text is blank, or k is below 1.
    """

    def __init__(self, text: str, *, k: int = 1, embedder: Embedder) -> None:
        self.text = checked(text, k=k)
        self._embedder = embedder
        self._vector: list[float] | None = None
        self.milliseconds: dict[str, float] = {}
        self.usage: dict[str, Usage] = {}
        self.similarity: float | None = None
        self.cosines: dict[str, float] = {}
        self.paths: tuple[Path, ...] = ()

    @classmethod
    def batch(cls, texts: Sequence[str], *, embedder: Embedder) -> list[Self]:
        """Several questions, encoded together."""
        questions = [cls(text, embedder=embedder) for text in texts]
        for question, vector in zip(questions, embedder.embed([question.text for question in questions]), strict=True):
            question._vector = vector.tolist()
        return questions

    @property
    def vector(self) -> list[float]:
        """The question's embedding, of length 1."""
        if self._vector is None:
            with self.timed("encode"):
                self._vector = self._embedder.embed([self.text])[0].tolist()
        return self._vector

    def note_cosines(self, cosines: Iterable[tuple[str, float]]) -> None:
        """Keep the cosines of passages."""
        self.cosines.update(cosines)
        self.similarity = max(self.cosines.values(), default=self.similarity)

    def charge(self, hits: Hits) -> None:
        """Add another search for this question: its paths, its cosines, and its cost.

        The cost is the time of each part, and a language model's usage by role.
        """
        self.paths += hits.paths
        self.note_cosines((hit.passage.id, hit.similarity) for hit in hits if hit.similarity is not None)
        if hits.similarity is not None:
            self.similarity = max(hits.similarity, self.similarity or hits.similarity)
        for part, spent in hits.milliseconds.items():
            self.milliseconds[part] = self.milliseconds.get(part, 0.0) + spent
        for role, usage in hits.usage.items():
            self.usage[role] = self.usage.get(role, Usage()) + usage

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Add the time that a block takes to a part of the search."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = 1_000 * (time.perf_counter() - started)
            self.milliseconds[part] = self.milliseconds.get(part, 0.0) + spent
