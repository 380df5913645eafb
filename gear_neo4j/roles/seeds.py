"""HippoRAG's roles of a language model: choose helpful facts (version 2), name a question's entities (version 1)."""

from collections.abc import Sequence
from typing import Protocol

from gear_neo4j.domain import Triple
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.roles.lists import parse_indexes, parse_names
from gear_neo4j.roles.prompts import fill


class Filter(Protocol):
    """Chooses among the facts of a search."""

    def keep(self, question: str, triples: Sequence[Triple]) -> Reply[tuple[int, ...]]:
        """The indexes, from 0, of the triples that help to answer the question, if any."""


class Namer(Protocol):
    """Finds the names in a question."""

    def names(self, question: str) -> Reply[tuple[str, ...]]:
        """The entities that the question names, in its order, if any."""


class PromptedSeeder:
    """Both roles, played by a language model with one prompt each.

    Raises:
        ModelError: the model fails.
        ReplyError: its reply cannot be used.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def keep(self, question: str, triples: Sequence[Triple]) -> Reply[tuple[int, ...]]:
        """The indexes, from 0, of the triples that help."""
        facts = "\n".join(f"[{number}] {triple}" for number, triple in enumerate(triples, start=1))
        prompt = fill("filter", question=question, facts=facts)
        return self._chat.ask(prompt, parse=lambda text: parse_indexes(text, most=len(triples)))

    def names(self, question: str) -> Reply[tuple[str, ...]]:
        """The entities that the question names."""
        return self._chat.ask(fill("entities", question=question), parse=parse_names)
