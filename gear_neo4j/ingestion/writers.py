"""Threads that write batches while the next ones are read: the server has more than one core, and so has the client."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

# On two cores, two writers filled the server; a third waited.
THREADS = 2
# Batches that are read and not yet written: enough that no writer waits, few enough that memory stays bounded.
AHEAD = 4
Outcome = TypeVar("Outcome")


class Writers:
    """Batches of work for a few threads; outcomes are handled in order, in the thread that submits.

    The first error ends it: it is raised by the next ``submit``, or at the end. Batches already begun are completed.

    Example:
        >>> squares = []
        >>> with Writers() as writers:
        ...     for number in range(5):
        ...         writers.submit(lambda number=number: number * number, squares.append)
        >>> squares
        [0, 1, 4, 9, 16]
    """

    def __init__(self, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="gear-writer")
        self._pending: deque[tuple[Future[Any], Callable[[Any], object]]] = deque()

    def submit(self, work: Callable[[], Outcome], then: Callable[[Outcome], object]) -> None:
        """Run ``work`` in a thread and call ``then`` with its outcome; waits while too much is pending."""
        while len(self._pending) >= AHEAD:
            self._complete_first()
        self._pending.append((self._pool.submit(work), then))

    def drain(self) -> None:
        """Wait until all work is done and its outcomes are handled."""
        while self._pending:
            self._complete_first()

    def _complete_first(self) -> None:
        future, then = self._pending.popleft()
        then(future.result())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if error is None:
                self.drain()
        finally:
            self._pool.shutdown(cancel_futures=True)
