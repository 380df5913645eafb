"""Extractors of triples from passages: rules, the chat model, or a user's own."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from gear_neo4j.domain import Fact, Passage
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.recipes.recipe import ExtractorRecipe
from gear_neo4j.roles.lists import Triples, parse_triples
from gear_neo4j.roles.prompts import fill
from gear_neo4j.usage import Usage


class Rules(ExtractorRecipe):
    """Triples by rules on capital letters, without a model."""

    name: ClassVar[str] = "rules"


class Model(ExtractorRecipe):
    """Triples from the chat model, one call per passage, in addition to those of the rules."""

    name: ClassVar[str] = "model"


class Extractor(ABC):
    """Extracts triples from passages; a subclass sets ``name`` and defines :meth:`extract`.

    Attributes:
        name: recorded on the passages that it has read, and on its triples.
        concurrency: the number of passages that it reads at a time.
        batch: the number of passages that are committed together; 1 if a reply must not be paid for twice.
        beside: the extractors whose passages it also reads; it skips passages that any other extractor has read.
    """

    name: str
    concurrency: int = 1
    batch: int = 100
    beside: Sequence[str] = (Rules.name,)

    @abstractmethod
    def extract(self, passage: Passage) -> Reply[Triples]:
        """The facts that a passage states.

        Raises:
            ModelError: the extractor cannot continue.
            ReplyError: it has no usable result for this passage.
        """


class FactExtractor(Extractor):
    """An extractor that calls no model and never fails; a subclass sets ``name`` and defines :meth:`facts`."""

    @abstractmethod
    def facts(self, passage: Passage) -> Sequence[Fact]:
        """The facts that a passage states."""

    def extract(self, passage: Passage) -> Reply[Triples]:
        """The facts of the passage, each once."""
        return Reply(Triples(tuple(dict.fromkeys(self.facts(passage)))), "", Usage(), 0.0)


class ChatExtractor(Extractor):
    """Extracts triples with a chat model."""

    batch = 1

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.name = chat.name
        self.concurrency = chat.concurrency

    def extract(self, passage: Passage) -> Reply[Triples]:
        """The facts in the model's reply."""
        prompt = fill("extraction", passage=passage.content)
        return self._chat.ask(prompt, parse=lambda text: parse_triples(text, key="triples"))
