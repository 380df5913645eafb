"""Early cancellation: a flag in the context, which every run started there checks between its calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_FLAG: ContextVar[Event | None] = ContextVar("gear_neo4j_cancel", default=None)


@contextmanager
def cancellable() -> Iterator[Event]:
    """A flag for the runs that begin in the block; set from any thread, it ends each of them at its next step.

    Within another such block the inner flag counts.

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
    """The flag of the block that the caller is in."""
    return _FLAG.get()


def cancelled() -> bool:
    """Whether that flag is set."""
    flag = _FLAG.get()
    return flag is not None and flag.is_set()
