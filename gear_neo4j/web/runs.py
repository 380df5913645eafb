"""Runs of agents: the whole answer, or events as they happen, until the client disconnects."""

import math
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import anyio
from fastapi.sse import EventSourceResponse
from starlette.types import Receive, Scope, Send

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event, OnEvent
from gear_neo4j.domain import Hits
from gear_neo4j.threads import Feed, ThreadLimiter, too_slow
from gear_neo4j.web.entry import Entry

# Seconds between signs of life, because proxies close idle connections.
PING_SECONDS = 15.0
# Seconds beyond an agent's time limit in which its last model call may end; it starts no new one.
GRACE = 20.0
Ask = Callable[[OnEvent], Answer]


class Silence(Exception):
    """No event has arrived for some time."""


class EventFeed:
    """The events of a run, which starts at once in a thread.

    Args:
        seconds: time limit of the run.

    Raises:
        TooManyCalls: the limit of concurrent runs is reached.
    """

    def __init__(self, limiter: ThreadLimiter, ask: Ask, *, seconds: float) -> None:
        self._deadline = anyio.current_time() + seconds
        self._seconds = seconds
        self._feed: Feed[Event] = Feed()
        self._first: list[Event | None] = []
        self._running = limiter.start(lambda: ask(self._feed.put))
        self._feed.follow(self._running)

    async def begin(self, *, patience: float = math.inf) -> None:
        """Wait at most ``patience`` seconds for the first event, so that an error at the start has a status of its own.

        Raises:
            CallTimeout: the run took too long.
            Exception: that of the run.
        """
        until = anyio.current_time() + patience
        while not self._first and (left := until - anyio.current_time()) > 0:
            with suppress(Silence):
                self._first.append(await self._next(left))

    async def events(self) -> AsyncIterator[Event | None]:
        """The events from the first one, and None whenever a sign of life is due.

        Raises:
            CallTimeout: the run took too long.
            Exception: that of the run.
        """
        while True:
            try:
                event = self._first.pop() if self._first else await self._next(PING_SECONDS)
            except Silence:
                yield None
                continue
            if event is None:
                return
            yield event

    async def _next(self, patience: float) -> Event | None:
        """The next event; None at the end; Silence if it does not arrive in time."""
        patience = min(patience, PING_SECONDS, self._deadline - anyio.current_time())
        if patience <= 0:
            raise too_slow(self._seconds)
        with anyio.move_on_after(patience):
            return await anext(self._feed, None)
        raise Silence

    def cancel(self) -> None:
        """End the run at its next step."""
        self._running.cancel()


class FeedResponse(EventSourceResponse):
    """A stream of server-sent events; its end, however caused, ends the run."""

    def __init__(self, content: AsyncIterator[bytes], *, feed: EventFeed) -> None:
        super().__init__(content, headers={"X-Accel-Buffering": "no"})
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._feed.cancel()


def record_answer(entry: Entry, answer: Answer) -> None:
    """Note in the entry of a request what it returned and cost."""
    entry.passages = [hit.passage.id for hit in answer.hits]
    entry.documents = [hit.passage.source for hit in answer.hits]
    entry.usage = answer.total
    parts: dict[str, float] = {}
    for step in answer.trace.steps:
        for part, spent in step.milliseconds.items():
            parts[part] = parts.get(part, 0.0) + spent
    entry.parts = parts


def record_hits(entry: Entry, hits: Hits) -> None:
    """Note in the entry of a request what it returned and cost."""
    shown = [passage for hit in hits for passage in (*hit.before, hit.passage, *hit.after)]
    entry.passages = [passage.id for passage in shown]
    entry.documents = [passage.source for passage in shown]
    entry.parts = hits.milliseconds
    for usage in hits.usage.values():
        entry.usage = entry.usage + usage
