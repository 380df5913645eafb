"""Records the replies of chat models, so that a run can be repeated without a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from gear_neo4j.domain import digest


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A reply of the chat model, by digests of its prompt: the task (the system prompt) and the case at hand.

    ``failure`` is the error if the reply was not usable.
    """

    task: str
    case: str
    text: str
    failure: str = ""


_REPLIES: ContextVar[list[RecordedReply] | None] = ContextVar("gear_neo4j_replies", default=None)


@contextmanager
def recording() -> Iterator[list[RecordedReply]]:
    """A list of the replies of chat models in the block, in order of arrival; threads need a copy of the context.

    Replies in a nested block are in both lists.

    Example:
        >>> with recording() as replies:
        ...     record("Answer with a number.", "How many days has a week?", "7")
        >>> replies[0].text
        '7'
    """
    outer, replies = _REPLIES.get(), list[RecordedReply]()
    token = _REPLIES.set(replies)
    try:
        yield replies
    finally:
        _REPLIES.reset(token)
        if outer is not None:
            outer.extend(replies)


def record(system: str, user: str, text: str, *, failure: str = "") -> None:
    """Record a reply to a prompt, or why none was usable; does nothing outside of :func:`recording`."""
    replies = _REPLIES.get()
    if replies is not None:
        # Models write halves of surrogate pairs, which cannot be encoded in a file.
        replies.append(RecordedReply(digest(system), digest(user), text.encode("utf-8", "replace").decode(), failure))
