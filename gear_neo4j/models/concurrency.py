"""Calls a model with several requests at a time, and yields their outcomes as they complete."""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")


def outcomes(
    items: Iterator[Item],
    ask: Callable[[Item], Value],
    *,
    together: int,
    go_on: Callable[[], bool] = lambda: True,
) -> Generator[tuple[Item, Future[Value]], None, None]:
    """Call ``ask`` on items in threads, ``together`` at a time, and yield each with its outcome as they complete.

    An item is taken only when a thread is free and ``go_on()`` is true; once it is false, running calls are still
    yielded, but no more are started. If you stop before the end, close the generator to cancel calls not yet started.

    Example:
        >>> [(item, future.result()) for item, future in outcomes(iter([1, 2]), lambda item: 10 * item, together=1)]
        [(1, 10), (2, 20)]
    """
    running: dict[Future[Value], Item] = {}
    more = True
    with ThreadPoolExecutor(together, thread_name_prefix="ask") as pool:
        try:
            while True:
                while more and len(running) < together:
                    more = False
                    for item in items if go_on() else ():
                        # A context can only be entered once at a time, so each thread gets its own copy.
                        running[pool.submit(copy_context().run, ask, item)] = item
                        more = True
                        break
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future
        finally:
            # Calls that have not started must not cost anything.
            for future in running:
                future.cancel()
