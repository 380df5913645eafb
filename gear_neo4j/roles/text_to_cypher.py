"""Text to Cypher by a language model: the query, and the answer from its rows."""

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from gear_neo4j.models.chat import Reply
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.answering import PromptedRoles
from gear_neo4j.roles.prompts import fill

Value = TypeVar("Value")
_LABELLED = re.compile(r"\A\W*(?:reply|cypher|query)\W*?:\s*", re.IGNORECASE)


class TextToCypher(Answerer, Protocol):
    """The roles of the Cypher agent."""

    def query(self, question: str, schema: str, *, use: Callable[[str], Value]) -> Reply[Value]:
        """The result of ``use`` on a query; if that raises ValueError, the model writes one more query."""


class PromptedTextToCypher(PromptedRoles):
    """The roles of the Cypher agent, played by a language model."""

    def query(self, question: str, schema: str, *, use: Callable[[str], Value]) -> Reply[Value]:
        """The result of ``use`` on the model's query, or on its second query after an error message.

        Only a reply with a usable query is cached.
        """
        prompt = fill("cypher", schema=schema, question=question)
        return self._chat.ask(prompt, parse=lambda text: use(parse_query(text)))


def parse_query(text: str) -> str:
    """The query in a reply; empty if the reply is NONE.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_query("Cypher: RETURN 1")
        'RETURN 1'
        >>> parse_query("NONE.")
        ''
    """
    body = _LABELLED.sub("", text.strip())
    if not body:
        raise ValueError("it is empty")
    return "" if body.strip("`*.! \n").upper() == "NONE" else body
