"""Lets a language model choose which of several queries answers a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.roles.lists import parse_indexes
from gear_neo4j.roles.prompts import fill


@dataclass(frozen=True, slots=True)
class Choice:
    """The text of a query, and its first results in words."""

    query: str
    results: str


class Chooser(Protocol):
    """Chooses a query."""

    @property
    def name(self) -> str:
        """The model's name."""

    def choose(self, question: str, choices: Sequence[Choice]) -> Reply[int | None]:
        """The index, from 0, of the query that answers the question; None if none does."""


class PromptedChooser:
    """A language model that chooses, with one prompt."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.name

    def choose(self, question: str, choices: Sequence[Choice]) -> Reply[int | None]:
        """The index of the query that answers the question."""
        blocks = (f"[{number}]\n{choice.query}\nResults: {choice.results}" for number, choice in enumerate(choices, 1))
        prompt = fill("choose", queries="\n\n".join(blocks), question=question)
        return self._chat.ask(prompt, parse=lambda text: _first(parse_indexes(text, most=len(choices))))


def _first(indexes: Sequence[int]) -> int | None:
    return indexes[0] if indexes else None
