"""The quality of an answer and its contexts, judged by a language model: a reimplementation of RAGAS's metrics.

Each is between 0 and 1, except similarity, and NaN if undefined or if the judge gave no usable reply; means skip and
count NaN.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gear_neo4j.errors import InputError, ModelError, ReplyError
from gear_neo4j.evaluate.metrics import useful_precision
from gear_neo4j.evaluate.statistics import Interval, interval
from gear_neo4j.ingestion.chunking import SENTENCE
from gear_neo4j.models.chat import ChatModel, Prompt
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.roles.judgements import parse_statements, parse_useful, parse_verdicts
from gear_neo4j.roles.prompts import fill
from gear_neo4j.usage import Usage

# Agreement of statements, and similarity to the reference.
WEIGHTS = (0.75, 0.25)
METRICS = ("correctness", "similarity", "faithfulness", "context_precision", "context_recall")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Quality:
    """The five metrics of one answer, and the cost of the judge.

    ``correctness``: F1 of its statements against the reference's, and similarity, weighted. ``similarity``: cosine of
    the embeddings, which can be negative. ``faithfulness``: share of its statements that the contexts support.
    ``context_precision``: average precision of the contexts, by their use for the reference. ``context_recall``: share
    of the reference's sentences that the contexts support.
    """

    correctness: float
    similarity: float
    faithfulness: float
    context_precision: float
    context_recall: float
    usage: Usage = Usage()

    def to_json(self) -> dict[str, float | None]:
        """The metrics by name, for JSON; NaN becomes None.

        Example:
            >>> Quality(0.5, 0.25, math.nan, 1.0, 0.0).to_json()["faithfulness"] is None
            True
        """
        values = {name: float(getattr(self, name)) for name in METRICS}
        return {name: None if math.isnan(value) else value for name, value in values.items()}


def assess(
    chat: ChatModel, embedder: Embedder, *, question: str, answer: str, contexts: Sequence[str], reference: str
) -> Quality:
    """Judge an answer and its contexts (best first) by a reference: up to 5 calls, and one for each context.

    Raises:
        InputError: there is no context.
        ModelError: the model failed; ``usage`` holds the cost so far.
    """
    if not contexts:
        raise InputError(f"no contexts for the question {question!r}: the metrics need retrieved passages")
    judge = _Judge(chat, question)
    statements = judge.statements(answer)
    likeness = similarity(embedder, answer, reference)
    return Quality(
        correctness=correctness(judge.agreement(statements, judge.statements(reference)), likeness),
        similarity=likeness,
        faithfulness=judge.supported(statements, contexts),
        context_precision=judge.precision(contexts, reference),
        context_recall=judge.supported(sentences(reference), contexts),
        usage=judge.usage,
    )


def averages(qualities: Sequence[Quality]) -> dict[str, Interval]:
    """The mean of each metric with its bootstrap interval; NaN is skipped and counted.

    Example:
        >>> means = averages([Quality(1.0, 0.5, math.nan, 1.0, 1.0), Quality(0.5, 0.5, 1.0, 1.0, 1.0)])
        >>> means["correctness"].mean, means["faithfulness"].mean, means["faithfulness"].skipped
        (0.75, 1.0, 1)
    """
    return {name: interval([float(getattr(quality, name)) for quality in qualities]) for name in METRICS}


def f_measure(both: int, answer_only: int, reference_only: int) -> float:
    """F1 of statements: 2 P R / (P + R) with P = both / answer's and R = both / reference's; 1 if there are none.

    Example:
        >>> f_measure(2, 1, 1), f_measure(0, 0, 3), f_measure(0, 0, 0)
        (0.6666666666666666, 0.0, 1.0)
    """
    wanted = 2 * both + answer_only + reference_only
    return 2 * both / wanted if wanted else 1.0


def correctness(agreement: float, likeness: float, *, weights: tuple[float, float] = WEIGHTS) -> float:
    """Agreement and likeness as one figure: their weighted mean.

    Raises:
        ValueError: a weight is negative, or both are 0.

    Example:
        >>> correctness(1.0, 0.5)
        0.875
    """
    if min(weights) < 0 or not 0 < sum(weights) < math.inf:
        raise ValueError(f"the weights {weights} are not two numbers from 0 on with a sum above 0")
    return (weights[0] * agreement + weights[1] * likeness) / sum(weights)


def similarity(embedder: Embedder, answer: str, reference: str) -> float:
    """Cosine of the embeddings of two texts, -1 to 1; an empty text is embedded as one space."""
    answer_vector, reference_vector = embedder.embed([answer or " ", reference or " "]).astype(float)
    return max(-1.0, min(1.0, float(answer_vector @ reference_vector)))


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, cut at full stops and the like, and at lines.

    Example:
        >>> sentences("Ana Petkova. She was an engineer!")
        ('Ana Petkova.', 'She was an engineer!')
    """
    parts = (part for line in text.splitlines() for part in re.split(SENTENCE, line))
    return tuple(part.strip() for part in parts if part and part.strip())


class _Judge:
    """A language model as the judge of one question; sums up its usage."""

    def __init__(self, chat: ChatModel, question: str) -> None:
        self._chat = chat
        self._question = question
        self.usage = Usage()

    def statements(self, text: str) -> tuple[str, ...] | None:
        """The statements of a text; None if the judge gave no usable reply."""
        if not text.strip():
            return ()
        return self._ask(fill("statements", question=self._question, text=text), parse_statements)

    def agreement(self, answer: tuple[str, ...] | None, reference: tuple[str, ...] | None) -> float:
        """F1 of the statements of an answer; 0 if only one side has none."""
        if answer is None or reference is None:
            return math.nan
        if not answer or not reference:
            return f_measure(0, len(answer), len(reference))
        prompt = fill("overlap", question=self._question, answer=_numbered(answer), reference=_numbered(reference))

        def parse(text: str) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
            answer_verdicts = parse_verdicts(text, key="answer", count=len(answer))
            return answer_verdicts, parse_verdicts(text, key="reference", count=len(reference))

        verdicts = self._ask(prompt, parse)
        if verdicts is None:
            return math.nan
        both = sum(verdicts[0])
        return f_measure(both, len(answer) - both, verdicts[1].count(False))

    def supported(self, statements: tuple[str, ...] | None, contexts: Sequence[str]) -> float:
        """The share of statements that the contexts together support; NaN without a statement."""
        if not statements:
            return math.nan
        fields = {"passages": _passages(contexts), "question": self._question, "statements": _numbered(statements)}
        prompt = fill("support", **fields)
        verdicts = self._ask(prompt, lambda text: parse_verdicts(text, key="verdicts", count=len(statements)))
        return math.nan if verdicts is None else sum(verdicts) / len(verdicts)

    def precision(self, contexts: Sequence[str], reference: str) -> float:
        """Average precision of the contexts, each judged separately; NaN without a reference."""
        if not reference.strip():
            return math.nan
        useful: list[bool] = []
        for context in contexts:
            prompt = fill("useful", question=self._question, answer=reference, passage=context)
            verdict = self._ask(prompt, parse_useful)
            if verdict is None:
                return math.nan
            useful.append(verdict)
        return useful_precision(useful)

    def _ask(self, prompt: Prompt, parse: Callable[[str], Value]) -> Value | None:
        try:
            reply = self._chat.ask(prompt, parse=parse)
        except ReplyError as error:
            self.usage += error.usage
            return None
        except ModelError as error:
            raise ModelError(str(error), usage=self.usage + error.usage) from error
        self.usage += reply.usage
        return reply.value


def _numbered(statements: Sequence[str]) -> str:
    return "\n".join(f"{number}. {statement}" for number, statement in enumerate(statements, start=1))


def _passages(contexts: Sequence[str]) -> str:
    return "\n\n".join(f"Passage [{number}]\n{context}" for number, context in enumerate(contexts, start=1))
