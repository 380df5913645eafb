"""Writes batches in threads while the next ones are read, to use several cores of client and server."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

# On two cores, two writers kept the server busy; a third had to wait.
THREADS = 2
# Maximum number of batches read ahead: enough that no writer waits, few enough to limit memory.
AHEAD = 4
Outcome = TypeVar("Outcome")


class Writers:
    """Runs batches of work in a few threads; outcomes are handled in order, in the submitting thread.

    The first error stops it: the next ``submit``, or the end of the block, raises it. Batches already begun are
    completed.

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
        """Run ``work`` in a thread and call ``then`` with its outcome; waits while too many batches are pending."""
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
