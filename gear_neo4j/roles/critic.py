"""Self-RAG's reflections (Asai et al. 2024, table 1) by any chat model: one critic call per judgement of an answer.

The published model was trained to emit them as tokens. Here, a critic names a label for each. If the chat model returns
log-probabilities, they give the distribution over labels; otherwise the named label has probability 1.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Protocol

from gear_neo4j.domain import Fact, Passage
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.models.replies import Alternatives
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.answering import NONE, PromptedRoles, shown_passages
from gear_neo4j.roles.judgements import parse_labels
from gear_neo4j.roles.parsers import Draft, parse_answer, parse_segment
from gear_neo4j.roles.prompts import fill

RELEVANT = ("yes", "no")
SUPPORT = ("fully", "partially", "no")
USES = ("1", "2", "3", "4", "5")
_LABELS = {"relevant": RELEVANT, "support": SUPPORT, "use": USES}
_SUPPORT_WEIGHTS = {"fully": 1.0, "partially": 0.5}
_USE_WEIGHTS = {"1": -1.0, "2": -0.5, "3": 0.0, "4": 0.5, "5": 1.0}
Distribution = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reflection:
    """Label probabilities: relevance of a passage, support for an answer, and the answer's use.

    They need not add up to one; an empty distribution scores 0.

    Example:
        >>> support = {"fully": 0.6, "partially": 0.2, "no": 0.2}
        >>> reflection = Reflection({"yes": 0.9, "no": 0.1}, support, {"5": 0.5, "3": 0.5})
        >>> reflection.relevance, round(reflection.supported, 3), reflection.utility
        (0.9, 0.7, 0.5)
    """

    relevant: Distribution = field(default_factory=dict)
    support: Distribution = field(default_factory=dict)
    use: Distribution = field(default_factory=dict)

    @property
    def relevance(self) -> float:
        """P(relevant), from 0 to 1."""
        return _expected(self.relevant, {"yes": 1.0})

    @property
    def supported(self) -> float:
        """P(fully) + 0.5 P(partially), from 0 to 1."""
        return _expected(self.support, _SUPPORT_WEIGHTS)

    @property
    def utility(self) -> float:
        """The expected use, from -1 to 1."""
        return _expected(self.use, _USE_WEIGHTS)


def _expected(distribution: Distribution, weights: Mapping[str, float]) -> float:
    total = sum(distribution.values())
    return sum(share * weights.get(label, 0.0) for label, share in distribution.items()) / total if total else 0.0


class Critic(Answerer, Protocol):
    """The roles of Self-RAG; each raises ModelError."""

    def needs_passages(self, question: str) -> Reply[float]:
        """The probability that passages help to answer."""

    def reflect(self, question: str, passage: Passage | None, answer: str) -> Reply[Reflection]:
        """Judge an answer and its passage; without a passage, only the answer's use."""

    def recall(self, question: str) -> Reply[Draft]:
        """An answer without passages."""

    def revise(self, question: str, passage: Passage, *, refused: Sequence[str]) -> Reply[Draft]:
        """Another answer from a passage that did not support the ``refused`` ones."""

    def segment(self, question: str, passage: Passage, *, before: str) -> Reply[str]:
        """The next sentence of a long answer, from a passage; empty at its end."""

    def rewrite(self, question: str, memory: Sequence[Fact], *, why: str, asked: Sequence[str]) -> Reply[str]:
        """Another question to search with, or an empty text."""


class PromptedCritic(PromptedRoles):
    """The roles played by a chat model, each by one prompt."""

    def __init__(self, chat: ChatModel) -> None:
        super().__init__(chat)
        self._critic = chat

    def needs_passages(self, question: str) -> Reply[float]:
        """The probability that passages help to answer."""
        reply = self._labelled(fill("retrieve", question=question), {"retrieve": RELEVANT})
        return _as(reply, _expected(reply.value["retrieve"], {"yes": 1.0}))

    def reflect(self, question: str, passage: Passage | None, answer: str) -> Reply[Reflection]:
        """Judge an answer."""
        text = shown_passages([passage]) if passage else NONE
        labels = _LABELS if passage else {"use": USES}
        reply = self._labelled(fill("reflect", question=question, passage=text, answer=answer), labels)
        return _as(reply, Reflection(**reply.value))

    def recall(self, question: str) -> Reply[Draft]:
        """An answer without passages."""
        return self._critic.ask(
            fill("recall", question=question), parse=lambda text: parse_answer(text, passages=0, facts=0)
        )

    def revise(self, question: str, passage: Passage, *, refused: Sequence[str]) -> Reply[Draft]:
        """Another answer from a passage."""
        before = "\n".join(f"- {answer}" for answer in refused)
        prompt = fill("revise", passage=shown_passages([passage]), question=question, refused=before)
        return self._critic.ask(prompt, parse=lambda text: parse_answer(text, passages=1, facts=0))

    def segment(self, question: str, passage: Passage, *, before: str) -> Reply[str]:
        """The next sentence of a long answer."""
        prompt = fill("segment", passage=shown_passages([passage]), question=question, before=before or NONE)
        return self._critic.ask(prompt, parse=parse_segment)

    def _labelled(self, prompt: Any, labels: Mapping[str, Sequence[str]]) -> Reply[dict[str, Distribution]]:
        reply = self._critic.ask(prompt, parse=lambda text: parse_labels(text, labels=labels))
        return _as(
            reply, {key: likelihoods(reply.tokens, key, labels[key], label) for key, label in reply.value.items()}
        )


def likelihoods(tokens: Sequence[Alternatives], key: str, labels: Sequence[str], own_label: str) -> Distribution:
    """The label probabilities under a key of a reply; without tokens, the reply's own label has probability 1.

    Example:
        >>> tokens = [Alternatives('{"use": ', {}), Alternatives('"', {}), Alternatives("4", {"4": 0.75, "5": 0.25})]
        >>> likelihoods(tokens, "use", USES, "4")
        {'4': 0.75, '5': 0.25}
        >>> likelihoods([], "use", USES, "4")
        {'4': 1.0}
    """
    text = "".join(entry.token for entry in tokens)
    # The last one, as in the parser, because models also name labels in their thoughts.
    start = max((match.end() for match in re.finditer(rf'"{key}"\s*:\s*"?\s*', text)), default=len(text))
    ends = accumulate(len(entry.token) for entry in tokens)
    entry = next((entry for entry, end in zip(tokens, ends, strict=True) if end > start), None)
    shares: dict[str, float] = {}
    for other, share in entry.others.items() if entry else ():
        label = next((label for label in labels if _begins(_word(other), label)), None)
        if label:
            shares[label] = shares.get(label, 0.0) + share
    return shares if own_label in shares else {own_label: 1.0}


def _word(token: str) -> str:
    return token.strip().strip('":{},').strip().lower()


def _begins(word: str, label: str) -> bool:
    return bool(word) and (label.startswith(word) or word.startswith(label))


def _as(reply: Reply[Any], value: Any) -> Reply[Any]:
    return replace(reply, value=value)
