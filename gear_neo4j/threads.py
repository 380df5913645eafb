"""Calls in threads of their own: so many at a time, each ended at its next step once nobody waits for it."""

import asyncio
import contextvars
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock, Thread
from typing import Any, Generic, TypeVar

import anyio

from gear_neo4j.cancellation import cancellable
from gear_neo4j.errors import CallTimeout, TooManyCalls

Result = TypeVar("Result")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Running(Generic[Result]):
    """A call that has begun; ``cancel`` ends it at its next step."""

    future: "Future[Result]"
    flag: Event

    def cancel(self) -> None:
        """End it at its next step."""
        self.flag.set()

    async def result(self) -> Result:
        """Wait for its result; whoever stops waiting does not end it."""
        ended, in_loop = anyio.Event(), loop_caller()
        self.future.add_done_callback(lambda _: in_loop(ended.set))
        await ended.wait()
        return self.future.result()


class ThreadLimiter:
    """Runs calls in threads, at most ``most`` at a time; a call keeps its slot until its thread has ended.

    This holds also for a call that was cancelled or took too long.

    Args:
        noun: what the calls are, for the message of a refusal.
    """

    def __init__(self, noun: str, *, most: int) -> None:
        self._noun = noun
        self._most = most
        self._calls: set[Running[Any]] = set()
        self._waiting: dict[anyio.Event, Callable[[], None]] = {}
        self._lock = Lock()

    @property
    def running(self) -> int:
        """How many calls have a slot."""
        return len(self._calls)

    def start(self, call: Callable[[], Result]) -> Running[Result]:
        """Begin a call in a thread, which sees the flag that cancels it.

        Raises:
            TooManyCalls: every slot is taken.
        """
        with cancellable() as flag:
            context = contextvars.copy_context()
        running: Running[Result] = Running(Future(), flag)
        # From here on, whoever stops waiting for it does not cancel the future.
        running.future.set_running_or_notify_cancel()
        with self._lock:
            if len(self._calls) >= self._most:
                raise TooManyCalls(
                    f"{self._most} {self._noun} run at once, and no more may: try again in a few seconds"
                )
            self._calls.add(running)
        # A daemon: a call whose caller is gone must not keep a stopped process alive.
        thread = Thread(target=context.run, args=(self._work, call, running), name="gear-call", daemon=True)
        try:
            thread.start()
        except BaseException:
            self._free(running)
            raise
        return running

    async def start_when_free(self, call: Callable[[], Result]) -> Running[Result]:
        """Begin a call as soon as a slot is free."""
        in_loop = loop_caller()
        while True:
            freed = anyio.Event()
            # Before the attempt: a slot that is freed after it wakes this call.
            with self._lock:
                self._waiting[freed] = partial(in_loop, freed.set)
            try:
                return self.start(call)
            except TooManyCalls:
                await freed.wait()
            finally:
                with self._lock:
                    self._waiting.pop(freed, None)

    async def run(self, call: Callable[[], Result], *, seconds: float | None = None, waits: bool = False) -> Result:
        """The result of a call; cancelled, or after ``seconds``, it ends at its next step.

        Args:
            waits: wait for a free slot instead of being refused; this time does not count.

        Raises:
            TooManyCalls: every slot is taken.
            CallTimeout: it took longer than ``seconds``.
        """
        running = await self.start_when_free(call) if waits else self.start(call)
        try:
            with anyio.move_on_after(seconds):
                return await running.result()
        finally:
            running.cancel()
        raise too_slow(seconds or 0)

    def wait(self, *, seconds: float | None = None) -> None:
        """Wait until all calls have ended, at most so long."""
        with self._lock:
            calls = list(self._calls)
        wait([running.future for running in calls], timeout=seconds)

    def close(self, *, seconds: float) -> None:
        """End all calls at their next steps, and wait for them, at most so long."""
        with self._lock:
            calls = list(self._calls)
        for running in calls:
            running.cancel()
        self.wait(seconds=seconds)

    def _work(self, call: Callable[[], Result], running: Running[Result]) -> None:
        try:
            result = call()
        except BaseException as error:
            finish = partial(running.future.set_exception, error)
        else:
            finish = partial(running.future.set_result, result)
        # The slot is free before whoever waits for the result goes on.
        self._free(running)
        finish()

    def _free(self, running: Running[Any]) -> None:
        with self._lock:
            self._calls.discard(running)
            waiting = list(self._waiting.values())
        for wake in waiting:
            wake()


class Feed(AsyncIterator[Item]):
    """What a call reports from its thread while it runs, read in the event loop that made the feed.

    ``put`` is for the thread. Reading ends when the call does, and raises what it raised.
    """

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self._news = anyio.Event()
        self._in_loop = loop_caller()
        self._running: Running[Any] | None = None

    def put(self, item: Item) -> None:
        """Report an item."""
        self._items.append(item)
        self._in_loop(self._announce)

    def follow(self, running: Running[Any]) -> None:
        """Read until this call has ended."""
        self._running = running
        running.future.add_done_callback(lambda _: self._in_loop(self._announce))

    async def __anext__(self) -> Item:
        """The next item; whoever stops waiting misses none."""
        while True:
            # Asked before the items: the last one may come in between.
            has_ended = self._running is not None and self._running.future.done()
            if self._items:
                return self._items.popleft()
            if has_ended and self._running:
                self._running.future.result()
                raise StopAsyncIteration
            self._news = anyio.Event()
            await self._news.wait()

    def _announce(self) -> None:
        self._news.set()


def too_slow(seconds: float) -> CallTimeout:
    """What a caller gets to know of a call that took too long."""
    return CallTimeout(f"no result after {seconds:g} s: ask for less, or allow more seconds")


def loop_caller() -> Callable[[Callable[[], object]], None]:
    """From any thread, schedules a function in the event loop that this was called in: asyncio's or trio's."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        schedule: Callable[..., object] = trio.lowlevel.current_trio_token().run_sync_soon
    else:
        schedule = asyncio.get_running_loop().call_soon_threadsafe

    def call(function: Callable[[], object]) -> None:
        # A call may outlive its loop.
        with suppress(RuntimeError):
            schedule(function)

    return call
