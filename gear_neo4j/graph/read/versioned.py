"""Values made from the whole graph and kept until the graph changes, whoever changes it."""

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
        make: makes the value from the graph as it is now.
        version: the version of the graph; one round trip.
        recheck: seconds for which a version is trusted, so that not every search pays the round trip.
        weight: what the value takes of a memory, which may drop it: it is then made again.

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
        # Threads that search at once must not each read the whole graph; a value may be made of others.
        self._lock = RLock()

    def current(self) -> Value:
        """The value for the graph as it is, or was at most ``recheck`` seconds ago."""
        with self._lock:
            kept = self._kept
            if kept is not None and self._clock() - self._checked < self._recheck:
                self._touch()
                return kept[1]
            # Read first: what is written while the value is made leaves it stale, whether it is in it or not.
            version, checked = self._version(), self._clock()
            value = self.at(version)
            # Only now: where the new value could not be made, the old one must not pass for it.
            self._checked = checked
            return value

    def at(self, version: Version) -> Value:
        """The value for a version that was read just now, as by a value that this one is a part of."""
        with self._lock:
            # Read once: without this lock, a memory may drop it.
            kept = self._kept
            if kept is not None and kept[0] == version:
                self._touch()
                return kept[1]
            # The old one goes first, because two would need twice the memory.
            self._kept = None
            return self._make_weighed(version)

    def drop(self) -> None:
        """Keep no value; the next use makes it again."""
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
