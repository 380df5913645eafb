"""Evaluators of a text for a question: a score from -1 (useless) to 1, with thresholds of its scale.

CRAG (Yan et al. 2024) trains its own. These need no training: the cosine of the embedding model, any cross-encoder of
sentence-transformers, and a chat model that grades.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

from gear_neo4j.errors import SettingsError
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.models.cross_encoder import CrossEncoder
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.roles.judgements import parse_scores
from gear_neo4j.roles.prompts import fill
from gear_neo4j.usage import Usage

GRADED_TOGETHER = 10
NOTHING = -1.0
Scores = tuple[float, ...]
EvaluatorName = Literal["similarity", "grader", "cross-encoder"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A text helps if its score is at least ``upper``, and does not if it is below ``lower``.

    Raises:
        SettingsError: a value is outside -1 to 1, or ``lower`` is above ``upper``.

    Example:
        >>> thresholds = Thresholds(0.4, 0.1)
        >>> thresholds.action([0.4]), thresholds.action([0.2, 0.05]), thresholds.action([])
        ('correct', 'ambiguous', 'incorrect')
    """

    upper: float
    lower: float

    def __post_init__(self) -> None:
        if not -1 <= self.lower <= self.upper <= 1:
            raise SettingsError(
                f"thresholds {self.upper:g} and {self.lower:g}: give the upper one first, both from -1 to 1"
            )

    def action(self, scores: Sequence[float]) -> str:
        """CRAG's action for a question, from the scores of all its passages."""
        best = max(scores, default=-math.inf)
        return "correct" if best >= self.upper else "ambiguous" if best >= self.lower else "incorrect"


class Evaluator(Protocol):
    """Scores texts for a question, with default thresholds for its scale."""

    @property
    def name(self) -> str:
        """Its name in reports and calibrations, including its model."""

    @property
    def thresholds(self) -> Thresholds:
        """The default thresholds for its scale; a calibration overrides them."""

    def evaluate(self, question: str, texts: Sequence[str]) -> Reply[Scores]:
        """A score for each text, in order; an empty text gets -1. Raises ModelError."""


class SimilarityEvaluator:
    """The cosine of question and text by the embedding model of the database; cheap but coarse."""

    # By `gear calibrate hotpotqa_train100`, for all-MiniLM-L6-v2 (docs/choosing.md).
    thresholds = Thresholds(0.73, 0.22)

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The embedding model."""
        return f"similarity by {self._embedder.name}"

    def evaluate(self, question: str, texts: Sequence[str]) -> Reply[Scores]:
        """The cosines."""
        vectors = self._embedder.embed([question, *texts])
        return _local(texts, [float(score) for score in vectors[1:] @ vectors[0]])


class CrossEncoderEvaluator:
    """A cross-encoder of sentence-transformers, by name or folder, whose logit x becomes 2 sigmoid(x) - 1."""

    thresholds = Thresholds(0.5, -0.9)

    def __init__(self, model: str) -> None:
        self._model = CrossEncoder(model)

    @property
    def name(self) -> str:
        """The cross-encoder."""
        return f"cross-encoder {self._model.name}"

    def evaluate(self, question: str, texts: Sequence[str]) -> Reply[Scores]:
        """The scores of the pairs."""
        logits = self._model.score([(question, text) for text in texts])
        return _local(texts, [math.tanh(logit / 2) for logit in logits])


class Grader:
    """A chat model that grades ten texts at a time."""

    thresholds = Thresholds(0.5, -0.5)

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """The chat model."""
        return f"grades by {self._chat.name}"

    def evaluate(self, question: str, texts: Sequence[str]) -> Reply[Scores]:
        """The grades; raises ReplyError if a reply is unusable twice."""
        scores: list[float] = []
        usage, milliseconds = Usage(), 0.0
        for start in range(0, len(texts), GRADED_TOGETHER):
            batch = texts[start : start + GRADED_TOGETHER]
            numbered = "\n\n".join(f"Text [{number}]\n{text}" for number, text in enumerate(batch, start=1))
            prompt = fill("grade", question=question, texts=numbered)
            reply = self._chat.ask(prompt, parse=partial(parse_scores, count=len(batch)))
            scores += reply.value
            usage, milliseconds = usage + reply.usage, milliseconds + reply.milliseconds
        return Reply(_with_empty(texts, scores), "", usage, milliseconds)


def open_evaluator(
    name: EvaluatorName, model: str | None, *, embedder: Callable[[], Embedder], chat: Callable[[], ChatModel]
) -> Evaluator:
    """The evaluator with a name; ``model`` names the cross-encoder. Opens only the model that it needs."""
    if name == "cross-encoder":
        return CrossEncoderEvaluator(model or "")
    return Grader(chat()) if name == "grader" else SimilarityEvaluator(embedder())


def _local(texts: Sequence[str], scores: Sequence[float]) -> Reply[Scores]:
    return Reply(_with_empty(texts, scores), "", Usage(), 0.0)


def _with_empty(texts: Sequence[str], scores: Sequence[float]) -> Scores:
    return tuple(score if text.strip() else NOTHING for text, score in zip(texts, scores, strict=True))
