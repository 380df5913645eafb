"""Cancellation: a flag in the context that each run checks between its calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_FLAG: ContextVar[Event | None] = ContextVar("gear_neo4j_cancel", default=None)


@contextmanager
def cancellable() -> Iterator[Event]:
    """A flag for the runs that start in the block; once set, from any thread, each of them ends at its next step.

    In nested blocks, the innermost flag counts.

    Example:
        >>> with cancellable() as cancel:
        ...     flag = current_flag()
        >>> cancel.set()
        >>> flag.is_set(), current_flag()
        (True, None)
    """
    flag = Event()
    token = _FLAG.set(flag)
    try:
        yield flag
    finally:
        _FLAG.reset(token)


def current_flag() -> Event | None:
    """The flag of the current block."""
    return _FLAG.get()


def cancelled() -> bool:
    """Whether the current flag is set."""
    flag = _FLAG.get()
    return flag is not None and flag.is_set()
