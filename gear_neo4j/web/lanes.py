"""Lanes: so many calls at a time, each in a thread of its own; one more is refused, none waits."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import Any, Generic, TypeVar

from starlette.exceptions import HTTPException

from gear_neo4j.cancellation import cancellable

RETRY_AFTER = {"Retry-After": "1"}
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Running(Generic[Result]):
    """A call under way; ``cancel`` ends it at its next step."""

    future: "Future[Result]"
    flag: Event

    def cancel(self) -> None:
        """End it at its next step."""
        self.flag.set()


class Lane:
    """Calls of one kind; its place is free again when a call has really ended, also one that nobody waits for.

    Args:
        most: calls at a time.
        noun: what they are, for the message.
    """

    def __init__(self, noun: str, *, most: int) -> None:
        self._places = BoundedSemaphore(most)
        self._noun = noun
        self._most = most
        self._calls: set[Running[Any]] = set()
        self._lock = Lock()

    @property
    def running(self) -> int:
        """How many calls run now."""
        return len(self._calls)

    def start(self, call: Callable[[], Result]) -> Running[Result]:
        """Begin a call in a thread, in which the flag of its end is seen.

        Raises:
            HTTPException: 429, as many run as may; 503, there is no thread for it.
        """
        if not self._places.acquire(blocking=False):
            detail = f"{self._most} {self._noun} run at once, which is all that may: try again"
            raise HTTPException(429, detail, headers=RETRY_AFTER)
        with cancellable() as flag:
            context = contextvars.copy_context()
        running: Running[Result] = Running(Future(), flag)
        # From here on, whoever stops waiting for it does not cancel it.
        running.future.set_running_or_notify_cancel()
        with self._lock:
            self._calls.add(running)
        # The first callback: the place is free before whoever waits goes on.
        running.future.add_done_callback(lambda _: self._free(running))
        # A daemon: a run whose caller is gone must not keep a stopped service alive.
        thread = Thread(target=context.run, args=(_work, call, running.future), name="gear-call", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            running.future.set_exception(error)
            raise HTTPException(503, "the service has no thread for this: try again", headers=RETRY_AFTER) from error
        return running

    async def run(self, call: Callable[[], Result], *, seconds: float) -> Result:
        """The result of a call; cancelled, or after ``seconds``, it ends at its next step.

        Raises:
            HTTPException: 429, as many run as may; 503, there is no thread for it; 504, it took too long.
        """
        running = self.start(call)
        try:
            async with asyncio.timeout(seconds) as patience:
                return await asyncio.wrap_future(running.future)
        except TimeoutError as error:
            raise (too_slow(seconds) if patience.expired() else error) from error
        finally:
            running.cancel()

    def close(self, *, seconds: float) -> None:
        """End all calls at their next steps, and wait for them, at most so long."""
        with self._lock:
            calls = list(self._calls)
        for running in calls:
            running.cancel()
        wait([running.future for running in calls], timeout=seconds)

    def _free(self, running: Running[Any]) -> None:
        with self._lock:
            self._calls.discard(running)
        self._places.release()


def _work(call: Callable[[], Result], future: "Future[Result]") -> None:
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def too_slow(seconds: float) -> HTTPException:
    """What a caller gets to know of a call that took too long."""
    return HTTPException(504, f"no result after {seconds:g} s: ask for less, or allow more seconds")
