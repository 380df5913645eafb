"""The role that makes a follow-up question of a conversation stand alone."""

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.roles.prompts import fill

# A conversation may be long; a question refers to what was said just before.
TURNS_SHOWN = 3
LONGEST_TURN = 600
_LABEL = re.compile(r"question[^\w:：\n]{0,10}[:：]\W*([^\n]+)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
# More than this, and a model has begun to explain.
_LONGEST_ADDITION = 400


class Turn(NamedTuple):
    """A question of a conversation with its answer, which may be empty.

    Example:
        >>> Turn("Who built the Orley Bridge?", "Ines Falk [1].").said
        'Who built the Orley Bridge?\\nInes Falk.'
    """

    question: str
    answer: str = ""

    @property
    def said(self) -> str:
        """Both, without citations."""
        return "\n".join(part for part in (self.question, without_markers(self.answer)) if part)


class FollowUpWriter(Protocol):
    """Rewrites the last question of a conversation."""

    def stand_alone(self, question: str, turns: Sequence[Turn]) -> Reply[str]:
        """The question with the names that it refers to; empty if the reply is not that question."""


class PromptedFollowUpWriter:
    """A language model as :class:`FollowUpWriter`, in one call: a bad reply is not repeated."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def stand_alone(self, question: str, turns: Sequence[Turn]) -> Reply[str]:
        """The question with the names that it refers to; empty if the reply is not that question."""
        prompt = fill("follow_up", turns="\n".join(map(_shown, turns[-TURNS_SHOWN:])), question=question)
        return self._chat.ask(prompt, parse=lambda text: parse_follow_up(text, question=question, turns=turns))


def parse_follow_up(text: str, *, question: str, turns: Sequence[Turn]) -> str:
    """The rewritten question in a reply; empty if it is another question, or has a name that nobody mentioned.

    Example:
        >>> turns = [Turn("Who built the Orley Bridge?", "Ines Falk.")]
        >>> parse_follow_up("Question: When did Ines Falk do that?", question="And when did she?", turns=turns)
        'When did Ines Falk do that?'
        >>> parse_follow_up("Question: When did Otto Brandt do that?", question="And when did she?", turns=turns)
        ''
    """
    labelled = _LABEL.findall(text)
    written = " ".join((labelled[-1] if labelled else text).split()).strip("\"'* ")
    asks = bool(labelled) or written.endswith(("?", "？"))
    if not asks or len(written) > len(question) + _LONGEST_ADDITION:
        return ""
    words, own = set(_words(written)), set(_words(question))
    known = own.union(*(_words(turn.said) for turn in turns))
    invented = any(_is_name(word) and word.casefold() not in known for word in _WORD.findall(written)[1:])
    repeats = any(written.casefold() == turn.question.casefold() for turn in turns)
    return written if words & own and not invented and (not repeats or words == own) else ""


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _is_name(word: str) -> bool:
    return word[0].isupper() or any(map(str.isdigit, word))


def _shown(turn: Turn) -> str:
    answer = without_markers(turn.answer)
    lines = [f"User: {' '.join(turn.question.split())[:LONGEST_TURN]}"]
    return "\n".join([*lines, f"Assistant: {' '.join(answer.split())[:LONGEST_TURN]}"] if answer else lines)
