"""A time limit for work that cannot be interrupted."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

from gear_neo4j.errors import QueryTimeout

Value = TypeVar("Value")


def within(seconds: float, work: Callable[[], Value], *, late: Callable[[], Exception] | None = None) -> Value:
    """Run work in a thread, with a time limit; past it, the thread is abandoned, and does not keep the process alive.

    A server ends a query only between two rows, so a query that spends an hour on one value would block its client.

    Raises:
        QueryTimeout: the work took longer, and ``late`` is not given to make another error.

    Example:
        >>> within(1.0, lambda: 7)
        7
    """
    outcome: SimpleQueue[tuple[bool, Value | BaseException]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((True, work()))
        except BaseException as error:
            outcome.put((False, error))

    threading.Thread(target=run, name="gear-read", daemon=True).start()
    try:
        done, value = outcome.get(timeout=seconds)
    except Empty:
        raise (late or (lambda: _too_slow(seconds)))() from None
    if not done:
        raise value  # type: ignore[misc]
    return value  # type: ignore[return-value]


def _too_slow(seconds: float) -> QueryTimeout:
    return QueryTimeout(f"the server did not end a query within {seconds:g} s: ask for less at once")
