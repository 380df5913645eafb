"""What makes triples of a passage: the chat model, or an extractor of the user's own."""

from typing import ClassVar, Protocol

from gear_neo4j.domain import Passage
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.recipes import ExtractorRecipe
from gear_neo4j.roles.lists import Triples, parse_triples
from gear_neo4j.roles.prompts import fill


class Extractor(Protocol):
    """What makes triples of a passage."""

    @property
    def name(self) -> str:
        """The name recorded with the passages that it has read."""

    @property
    def concurrency(self) -> int:
        """How many passages it takes at a time."""

    def extract(self, passage: Passage) -> Reply[Triples]:
        """The facts that a passage states. Raises ModelError, and ReplyError where a passage gives nothing usable."""


class Llm(ExtractorRecipe):
    """Triples by the chat model, one call a passage."""

    name: ClassVar[str] = "llm"


class ChatExtractor:
    """A chat model that extracts triples."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.name = chat.name
        self.concurrency = chat.concurrency

    def extract(self, passage: Passage) -> Reply[Triples]:
        """The facts in the model's reply."""
        prompt = fill("extraction", passage=passage.content)
        return self._chat.ask(prompt, parse=lambda text: parse_triples(text, key="triples"))
