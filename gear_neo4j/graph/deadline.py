"""A limit of time for what cannot be interrupted."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

from gear_neo4j.errors import QueryTimeout

Value = TypeVar("Value")


def within(seconds: float, work: Callable[[], Value]) -> Value:
    """What a piece of work returns or raises; where it takes longer it is left behind, and no exit waits for it.

    A server breaks a query off between two rows. One that spends an hour on a single value would hold its client, too.

    Raises:
        QueryTimeout: it was not done in time.

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
        raise QueryTimeout(f"the server did not end a query within {seconds:g} s: ask for less at once") from None
    if not done:
        raise value  # type: ignore[misc]
    return value  # type: ignore[return-value]
