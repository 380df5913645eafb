"""``AsyncGear``: the same API for an event loop; every call runs in a thread, and a cancelled one ends early."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, Self, TypeVar

from anyio import to_thread

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event
from gear_neo4j.domain import Hits, PassageRecord
from gear_neo4j.gear.entities import MOST_ENTITIES
from gear_neo4j.gear.front import Gear
from gear_neo4j.graph.read.entities import EntityRecord, EntitySummary
from gear_neo4j.recipes.recipe import AgentRecipe, RetrieverRecipe
from gear_neo4j.retrieval.context import Context
from gear_neo4j.retrieval.paths import PathResult, Paths
from gear_neo4j.status import Status
from gear_neo4j.threads import Feed, Running, ThreadLimiter

# Maximum number of concurrent calls: the driver is thread-safe, and models mostly wait.
THREADS = 8
# Shared, because a program may make an AsyncGear for each request.
_CALLS = ThreadLimiter("calls", most=THREADS)
Result = TypeVar("Result")


class AsyncGear:
    """A :class:`Gear` for asyncio or trio; the event loop is never blocked.

    Cancelling a call sets a flag that its run checks between steps: the run ends at its next step and frees its
    thread.

    Args:
        threads: maximum number of concurrent calls, including cancelled ones that have not ended; others wait. By
            default all objects of this class share 8.

    Usage::

        async with AsyncGear(Gear.connect()) as gear:
            hits = await gear.search("Where did the laureate study?")
            async for event in gear.stream("Where did the laureate study?"):
                print(event.text, end="")
    """

    def __init__(self, gear: Gear, *, threads: int | None = None) -> None:
        self.gear = gear
        self._limiter = _CALLS if threads is None else ThreadLimiter("calls", most=threads)
        self._calls: set[Future[Any]] = set()

    async def search(
        self, question: str, *, k: int = 10, retriever: str | RetrieverRecipe = "auto", context: Context = 0
    ) -> Hits:
        """See :meth:`Gear.search`."""
        return await self._run(partial(self.gear.search, question, k=k, retriever=retriever, context=context))

    async def paths(self, question: str, *, options: Paths = Paths()) -> PathResult:
        """See :meth:`Gear.paths`."""
        return await self._run(partial(self.gear.paths, question, options=options))

    async def ask(
        self,
        question: str,
        *,
        k: int = 10,
        agent: str | AgentRecipe = "gear",
        history: Sequence[tuple[str, str]] = (),
        context: Context = 0,
    ) -> Answer:
        """See :meth:`Gear.ask`."""
        return await self._run(partial(self.gear.ask, question, k=k, agent=agent, history=history, context=context))

    async def stream(
        self,
        question: str,
        *,
        k: int = 10,
        agent: str | AgentRecipe = "gear",
        history: Sequence[tuple[str, str]] = (),
        context: Context = 0,
    ) -> AsyncGenerator[Event, None]:
        """See :meth:`Gear.stream`; leaving the loop early ends the run."""
        feed: Feed[Event] = Feed()
        ask = partial(self.gear.ask, question, k=k, agent=agent, history=history, context=context, on_event=feed.put)
        running = await self._start(ask)
        feed.follow(running)
        try:
            async for event in feed:
                yield event
        finally:
            running.cancel()

    async def passage(self, id: str) -> PassageRecord:
        """See :meth:`Gear.passage`."""
        return await self._run(partial(self.gear.passage, id))

    async def entities(self, name: str, *, limit: int = MOST_ENTITIES) -> tuple[EntitySummary, ...]:
        """See :meth:`Gear.entities`."""
        return await self._run(partial(self.gear.entities, name, limit=limit))

    async def entity(self, id: str) -> EntityRecord:
        """See :meth:`Gear.entity`."""
        return await self._run(partial(self.gear.entity, id))

    async def status(self) -> Status:
        """See :meth:`Gear.status`."""
        return await self._run(self.gear.status)

    async def catch_up(self, bookmarks: Iterable[str]) -> None:
        """See :meth:`Gear.catch_up`."""
        await self._run(partial(self.gear.catch_up, bookmarks))

    async def close(self) -> None:
        """Wait until cancelled calls have ended, and close the connection, unless the driver is the caller's."""
        await to_thread.run_sync(wait, list(self._calls))
        await to_thread.run_sync(self.gear.close)

    async def _run(self, work: Callable[[], Result]) -> Result:
        running = await self._start(work)
        try:
            return await running.result()
        finally:
            running.cancel()

    async def _start(self, work: Callable[[], Result]) -> Running[Result]:
        running = await self._limiter.start_when_free(work)
        self._calls.add(running.future)
        running.future.add_done_callback(self._calls.discard)
        return running

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
