"""Values made from the whole graph, and cached until anybody changes the graph."""

import time
from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

from gear_neo4j.graph.read.memory import Weight
from gear_neo4j.graph.read.pagerank_queries import Version

Value = TypeVar("Value")
NEVER = -float("inf")


class Versioned(Generic[Value]):
    """A value made from one version of the graph; threads may share it.

    Args:
        make: makes the value from the current graph.
        version: reads the version of the graph; one round trip.
        recheck: seconds for which a version is trusted, so that not every search costs the round trip.
        weight: the size of the value in a shared memory, which may drop it; it is then made again.

    Example:
        >>> versions = iter([Version("a", 1, 0, 0, 0), Version("b", 2, 0, 0, 0)])
        >>> index = Versioned(lambda version: f"{version.passages} passages", version=lambda: next(versions))
        >>> index.current(), index.current()
        ('1 passages', '2 passages')
    """

    def __init__(
        self,
        make: Callable[[Version], Value],
        *,
        version: Callable[[], Version],
        recheck: float = 0.0,
        weight: Weight[Value] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._version = version
        self._recheck = recheck
        self._weight = weight
        self._clock = clock
        self._checked = NEVER
        self._kept: tuple[Version, Value] | None = None
        # Concurrent searches must not each read the whole graph. Reentrant, because values may be made of others.
        self._lock = RLock()

    def current(self) -> Value:
        """The value for the graph as it was at most ``recheck`` seconds ago."""
        with self._lock:
            kept = self._kept
            if kept is not None and self._clock() - self._checked < self._recheck:
                self._touch()
                return kept[1]
            # Read first, so that a write while the value is made always leaves it stale.
            version, checked = self._version(), self._clock()
            value = self.at(version)
            # Only now: if the new value cannot be made, the old one must not be used for it.
            self._checked = checked
            return value

    def at(self, version: Version) -> Value:
        """The value for a version that has just been read, such as by another value that contains this one."""
        with self._lock:
            # Read only once, because a memory may drop it without this lock.
            kept = self._kept
            if kept is not None and kept[0] == version:
                self._touch()
                return kept[1]
            # The old value is dropped first, because two would need twice the memory.
            self._kept = None
            return self._make_weighed(version)

    def drop(self) -> None:
        """Drop the value; the next use makes it again."""
        self._kept = None

    def invalidate(self) -> None:
        """Read the version again before the next use."""
        with self._lock:
            self._checked = NEVER

    def _make_weighed(self, version: Version) -> Value:
        if self._weight is None:
            value = self._make(version)
            self._kept = (version, value)
            return value
        memory = self._weight.memory
        with memory.making(self, self._weight.need(version)):
            value = self._make(version)
        self._kept = (version, value)
        memory.keep(self, self._weight.size(value))
        return value

    def _touch(self) -> None:
        if self._weight is not None:
            self._weight.memory.touch(self)
