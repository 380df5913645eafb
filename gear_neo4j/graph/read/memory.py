"""The memory for the caches of searches, shared by all views of a Gear; drops the least recently used ones."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import RLock
from typing import Generic, Protocol, TypeVar
from weakref import ReferenceType, ref

from gear_neo4j.errors import InputError, TooManyCalls
from gear_neo4j.graph.read.pagerank_queries import Version

Value = TypeVar("Value")
Item = TypeVar("Item")
MIB = 1024 * 1024
# An index for callers may take at most this part of the memory.
PART = 2


class Kept(Protocol):
    """A cached value that can be made again."""

    def drop(self) -> None:
        """Drop the value; a search that already uses it can finish."""


@dataclass(frozen=True, slots=True)
class Need:
    """The expected size of an index in bytes, and its description, such as ``bm25 over 1,000 passages``."""

    bytes: int
    of: str


class Memory:
    """A limit on all indexes in memory together: beyond it, the least recently used ones are dropped.

    It has only weak references to the indexes; an index that is no longer used elsewhere does not count. Threads may
    share it.

    Args:
        bytes: maximum total size; None for no limit.
        refuses: refuse an index that would take more than half of it; for services.
    """

    def __init__(self, *, bytes: int | None = None, refuses: bool = False) -> None:
        self._bytes = inf if bytes is None else bytes
        self.refuses = refuses
        # The maximum size of one index.
        self._most = self._bytes / PART if refuses else inf
        # In order of use, the least recently used first.
        self._kept: OrderedDict[ReferenceType[Kept], int] = OrderedDict()
        self._making: dict[object, int] = {}
        # The garbage collector may add to it at any time, even while the others are read.
        self._gone: deque[ReferenceType[Kept]] = deque()
        self._lock = RLock()

    @property
    def used(self) -> int:
        """The bytes of all cached indexes, and of those being made."""
        with self._lock:
            self._sweep()
            return sum(self._kept.values()) + sum(self._making.values())

    @contextmanager
    def making(self, owner: Kept, need: Need) -> Iterator[None]:
        """Reserve room for an index that the block makes.

        Raises:
            InputError: it would take more than one index may.
            TooManyCalls: other indexes are being made, and there is no room for another one.
        """
        if need.bytes > self._most:
            raise InputError(self._refusal(need))
        token = object()
        with self._lock:
            self._forget(owner)
            self._make_room(need)
            self._making[token] = need.bytes
        try:
            yield
        finally:
            with self._lock:
                del self._making[token]

    def keep(self, owner: Kept, size: int) -> None:
        """Count a new index, as the most recently used one."""
        with self._lock:
            self._kept[ref(owner, self._gone.append)] = size
            while self.used > self._bytes and len(self._kept) > 1:
                self._drop_oldest()

    def touch(self, owner: Kept) -> None:
        """Mark an index as the most recently used one."""
        with self._lock:
            if (key := ref(owner)) in self._kept:
                self._kept.move_to_end(key)

    def counted(self, items: Iterable[Item], *, bytes_of: Callable[[Item], int], of: str) -> Iterator[Item]:
        """Yield the items of an index, and stop it if it grows larger than expected.

        Args:
            bytes_of: the size of an item.
            of: the description of the index, such as ``bm25 over {} passages``.

        Raises:
            InputError: the index would take more than one index may.
        """
        total = 0
        for count, item in enumerate(items, start=1):
            total += bytes_of(item)
            if total > self._most:
                raise InputError(self._refusal(Need(total, of.format(f"more than {count:,}"))))
            yield item

    def _refusal(self, need: Need) -> str:
        return (
            f"{need.of} would take {_mib(need.bytes)} of memory, and the limit here is {_mib(self._most)}: narrow the "
            "search, choose a retriever such as scout, or ask for a larger GEAR_SERVE_MEMORY"
        )

    def _make_room(self, need: Need) -> None:
        while self._kept and self.used + need.bytes > self._bytes:
            self._drop_oldest()
        if self._making and self.used + need.bytes > self._bytes and self.refuses:
            raise TooManyCalls("other searches are using the memory for indexes: try again in a few seconds")

    def _drop_oldest(self) -> None:
        reference, _ = self._kept.popitem(last=False)
        if (owner := reference()) is not None:
            owner.drop()

    def _forget(self, owner: Kept) -> None:
        self._kept.pop(ref(owner), None)

    def _sweep(self) -> None:
        while self._gone:
            self._kept.pop(self._gone.popleft(), None)


@dataclass(frozen=True, slots=True)
class Weight(Generic[Value]):
    """The size of an index in a memory: as expected for a version of the graph, and as made."""

    memory: Memory
    need: Callable[[Version], Need]
    size: Callable[[Value], int]


UNLIMITED = Memory()


def _mib(size: float) -> str:
    return f"{max(1, round(size / MIB)):,} MiB"
