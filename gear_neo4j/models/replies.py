"""Reads a LangChain message: its text, its tokens with their alternatives, and its cost."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gear_neo4j.usage import Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

CHARACTERS_PER_TOKEN = 4
# Maximum characters to read of a degenerate reply; parsers accept replies that were cut.
LONGEST_REPLY = 250_000


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A token of a reply, and the probabilities of the alternatives at its position, including itself."""

    token: str
    others: Mapping[str, float]


def text_of(message: "BaseMessage") -> str:
    """The text of a message, even if its content is a list of blocks."""
    return str(message.text)


def reply_text(reply: "AIMessage") -> str:
    """The text of a reply, at most 250,000 characters."""
    return text_of(reply)[:LONGEST_REPLY]


def tokens_of(reply: "AIMessage") -> tuple[Alternatives, ...]:
    """The tokens of a reply in OpenAI's format; none if the server uses another one, or returns no tokens."""
    log_probabilities = reply.response_metadata.get("logprobs")
    tokens = log_probabilities.get("content") if isinstance(log_probabilities, dict) else None
    try:
        return tuple(
            Alternatives(row["token"], {other["token"]: math.exp(other["logprob"]) for other in row["top_logprobs"]})
            for row in tokens or ()
        )
    except (KeyError, TypeError, OverflowError):
        return ()


def usage_of(messages: Sequence["BaseMessage"], reply: "AIMessage") -> Usage:
    """The cost of a call; estimated if the reply does not report it."""
    metadata = reply.usage_metadata
    if metadata and metadata["input_tokens"]:
        return Usage(calls=1, input_tokens=metadata["input_tokens"], output_tokens=metadata["output_tokens"])
    paid = sum(len(text_of(message)) for message in messages)
    return Usage(calls=1, input_tokens=_estimate(paid), output_tokens=_estimate(len(text_of(reply))), estimated=True)


def _estimate(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)
