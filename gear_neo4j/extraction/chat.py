"""Extracts triples with the chat model, one call per passage."""

from gear_neo4j.domain import Passage
from gear_neo4j.extraction.extractor import Extractor
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.roles.lists import Triples, parse_triples
from gear_neo4j.roles.prompts import fill


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
