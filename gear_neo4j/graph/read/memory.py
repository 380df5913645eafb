"""The memory of what searches keep: of all views of a Gear together, with room made for what is used."""

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
# Of what is kept for callers, one index may take this part.
PART = 2


class Kept(Protocol):
    """Something that is kept, and can be made again."""

    def drop(self) -> None:
        """Keep it no longer; a search that has it may end."""


@dataclass(frozen=True, slots=True)
class Need:
    """What an index will take: how many bytes, and for what, such as ``bm25 over 1,000 passages``."""

    bytes: int
    of: str


class Memory:
    """How much all indexes in memory may take together: beyond it, those that were not used for longest are dropped.

    It holds no index itself; one that nobody else holds does not count. Threads may share it.

    Args:
        bytes: the most that is kept; None for no limit.
        refuses: refuse an index that would take more than half of it, which whoever runs a service sets.
    """

    def __init__(self, *, bytes: int | None = None, refuses: bool = False) -> None:
        self._bytes = inf if bytes is None else bytes
        self.refuses = refuses
        # Of one index.
        self._most = self._bytes / PART if refuses else inf
        # By use, the oldest first.
        self._kept: OrderedDict[ReferenceType[Kept], int] = OrderedDict()
        self._making: dict[object, int] = {}
        # The collector of garbage adds to it at any time, also while the others are read.
        self._gone: deque[ReferenceType[Kept]] = deque()
        self._lock = RLock()

    @property
    def used(self) -> int:
        """The bytes of all that is kept, and of what is being made."""
        with self._lock:
            self._sweep()
            return sum(self._kept.values()) + sum(self._making.values())

    @contextmanager
    def making(self, owner: Kept, need: Need) -> Iterator[None]:
        """A block that makes an index; there is room for it.

        Raises:
            InputError: it would take more than one may.
            TooManyCalls: others are made now, and there is no room beside them.
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
        """Count an index that has been made, as the one used last."""
        with self._lock:
            self._kept[ref(owner, self._gone.append)] = size
            while self.used > self._bytes and len(self._kept) > 1:
                self._drop_oldest()

    def touch(self, owner: Kept) -> None:
        """Note that an index is used."""
        with self._lock:
            if (key := ref(owner)) in self._kept:
                self._kept.move_to_end(key)

    def counted(self, items: Iterable[Item], *, bytes_of: Callable[[Item], int], of: str) -> Iterator[Item]:
        """What an index is made of, unless it is more than was expected.

        Args:
            bytes_of: what an item takes.
            of: what the index is, such as ``bm25 over {} passages``.

        Raises:
            InputError: the index would take more than one may.
        """
        total = 0
        for count, item in enumerate(items, start=1):
            total += bytes_of(item)
            if total > self._most:
                raise InputError(self._refusal(Need(total, of.format(f"more than {count:,}"))))
            yield item

    def _refusal(self, need: Need) -> str:
        return (
            f"{need.of} would take {_mib(need.bytes)} of memory, and here it may take {_mib(self._most)}: narrow the "
            "search, choose a retriever such as scout, or ask for a larger GEAR_SERVE_MEMORY"
        )

    def _make_room(self, need: Need) -> None:
        while self._kept and self.used + need.bytes > self._bytes:
            self._drop_oldest()
        if self._making and self.used + need.bytes > self._bytes and self.refuses:
            raise TooManyCalls("other searches fill the memory for indexes just now: try again in a few seconds")

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
    """What an index takes of a memory: as it is expected for a version of the graph, and once it is made."""

    memory: Memory
    need: Callable[[Version], Need]
    size: Callable[[Value], int]


UNLIMITED = Memory()


def _mib(size: float) -> str:
    return f"{max(1, round(size / MIB)):,} MiB"
