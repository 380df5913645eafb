"""What a language model does where it may write Cypher: the query, and the answer from its rows."""

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from gear_neo4j.models.chat import Reply
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.answering import PromptedRoles
from gear_neo4j.roles.parsers import without_thinking
from gear_neo4j.roles.prompts import fill

Value = TypeVar("Value")
_LABELLED = re.compile(r"\A\W*(?:reply|cypher|query)\W*?:\s*", re.IGNORECASE)


class TextToCypher(Answerer, Protocol):
    """All that the agent of queries asks for."""

    def query(self, question: str, schema: str, *, use: Callable[[str], Value]) -> Reply[Value]:
        """What ``use`` makes of a query; where it raises ValueError, one more query is written, with its message."""


class PromptedTextToCypher(PromptedRoles):
    """The roles of the agent of queries, played by a language model."""

    def query(self, question: str, schema: str, *, use: Callable[[str], Value]) -> Reply[Value]:
        """What ``use`` makes of the query that the model writes, or of the one that it writes when told what is wrong.

        A reply is kept in the cache only where its query could be used.
        """
        prompt = fill("cypher", schema=schema, question=question)
        return self._chat.ask(prompt, parse=lambda text: use(parse_query(text)))


def parse_query(text: str) -> str:
    """The query of a reply; empty where the model says that there is none.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_query("<think>Easy.</think>Cypher: RETURN 1")
        'RETURN 1'
        >>> parse_query("NONE.")
        ''
    """
    body = _LABELLED.sub("", without_thinking(text).strip())
    if not body:
        raise ValueError("it is empty")
    return "" if body.strip("`*.! \n").upper() == "NONE" else body
