"""A chat model that replies as it did in a recorded run."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from threading import Lock
from typing import TypeVar

from gear_neo4j.domain import digest
from gear_neo4j.errors import InputError, ReplyError
from gear_neo4j.models.chat import Prompt, Reply
from gear_neo4j.models.recording import RecordedReply, record
from gear_neo4j.models.retries import one_line
from gear_neo4j.models.streaming import OnToken, shown, without_thoughts
from gear_neo4j.usage import Usage

T = TypeVar("T")


class ReplayChat:
    """Replies from a recorded run, at no cost; threads may share it.

    A prompt that the run did not send, because the graph has changed since, gets the first unused reply to the same
    task. Token probabilities are not recorded.

    Args:
        name: its name in reports.

    Example:
        >>> chat = ReplayChat([RecordedReply(digest("Count."), digest("Days of a week?"), "7")])
        >>> chat.ask(Prompt("Count.", "Days of a week?"), parse=int).value
        7
    """

    concurrency = 1

    def __init__(self, replies: Iterable[RecordedReply], *, name: str = "replay") -> None:
        self._replies = tuple(replies)
        self._name = name
        self._used: set[int] = set()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """Its name in reports."""
        return self._name

    def ask(self, prompt: Prompt, *, parse: Callable[[str], T], on_token: OnToken | None = None) -> Reply[T]:
        """The recorded reply; ``on_token`` gets it in one piece.

        Raises:
            InputError: the run sent no prompt of this task.
            ReplyError: the reply was unusable in the run, or this ``parse`` rejects it.
        """
        reply = self._next(digest(prompt.system), digest(prompt.user))
        record(prompt.system, prompt.user, reply.text, failure=reply.failure)
        if reply.failure:
            raise ReplyError(reply.failure)
        if on_token:
            on_token(shown(reply.text))
        try:
            return Reply(parse(without_thoughts(reply.text)), reply.text, Usage(), 0.0)
        except ValueError as error:
            raise ReplyError(f"a recorded reply cannot be used ({one_line(error)}): run the agent again") from error

    def _next(self, task: str, case: str) -> RecordedReply:
        with self._lock:
            same_task = [index for index, reply in enumerate(self._replies) if reply.task == task]
            exact = [index for index in same_task if self._replies[index].case == case]
            # A prompt sent again gets its own last reply rather than the reply to another prompt.
            index = next(chain(self._unused(exact), reversed(exact), self._unused(same_task)), None)
            if index is None:
                raise InputError("the trace has no reply to this prompt: use the question and options of its run")
            self._used.add(index)
            return self._replies[index]

    def _unused(self, indexes: Iterable[int]) -> Iterator[int]:
        return (index for index in indexes if index not in self._used)
