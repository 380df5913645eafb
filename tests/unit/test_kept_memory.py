"""The memory of indexes: the least recently used are dropped, and those that are too large are refused."""

import gc
from threading import Event, Thread

import pytest

from gear_neo4j.errors import InputError, TooManyCalls
from gear_neo4j.graph.read.memory import Memory, Need, Weight
from gear_neo4j.graph.read.pagerank_queries import Version
from gear_neo4j.graph.read.versioned import Versioned

VERSION = Version("stamp", 1, 1, 1, 0)


class Indexes:
    """Indexes by name, which take 40 bytes of the memory each, and the number of times that each was built."""

    def __init__(self, memory, *, size=40, make=lambda _: None):
        self.made = []
        self._memory = memory
        self._size = size
        self._make = make
        self._kept = {}

    def use(self, name):
        if name not in self._kept:
            weight = Weight(self._memory, lambda _: Need(self._size, f"an index of {name}"), lambda _: self._size)
            self._kept[name] = Versioned(lambda _: self._built(name), version=lambda: VERSION, weight=weight)
        return self._kept[name].current()

    def forget(self, name):
        del self._kept[name]

    def _built(self, name):
        self._make(name)
        self.made.append(name)
        return name


def test_what_was_not_used_for_longest_goes_and_is_made_again():
    """Whichever view it belongs to; used ones stay."""
    memory = Memory(bytes=100)
    indexes = Indexes(memory)

    assert ["a", "b", "a", "c", "a", "b"] == [indexes.use(name) for name in ("a", "b", "a", "c", "a", "b")]
    assert ["a", "b", "c", "b"] == indexes.made
    assert 80 == memory.used


def test_without_a_limit_all_stays():
    memory = Memory()
    indexes = Indexes(memory)
    for name in 2 * list(map(str, range(100))):
        indexes.use(name)

    assert (100, 4_000) == (len(indexes.made), memory.used)


def test_one_that_takes_more_than_half_is_refused():
    """The message says what, why, and what to do; nothing is built, and nothing else is dropped."""
    memory = Memory(bytes=79, refuses=True)
    indexes = Indexes(memory)
    with pytest.raises(InputError, match=r"^an index of a would take 1 MiB of memory, .*GEAR_SERVE_MEMORY$"):
        indexes.use("a")

    assert ([], 0) == (indexes.made, memory.used)


def test_more_than_was_expected_is_refused_on_the_way():
    """A corpus of few passages may have long ones."""
    memory = Memory(bytes=100, refuses=True)
    seen = []

    with pytest.raises(InputError, match="bm25 over more than 6 passages"):
        seen.extend(memory.counted(range(1_000), bytes_of=lambda _: 9, of="bm25 over {} passages"))
    assert 1_000 == len(list(Memory(bytes=100).counted(range(1_000), bytes_of=lambda _: 9, of="{}")))


def test_those_that_are_made_at_once_have_room_together():
    """One more is refused until one of them is done; after an error, its room is free."""
    memory, begun, go_on = Memory(bytes=100, refuses=True), Event(), Event()

    def make(_):
        begun.set()
        assert go_on.wait(10)

    slow, quick = Indexes(memory, size=50, make=make), Indexes(memory, size=50)
    slower = Thread(target=slow.use, args=["a"])
    slower.start()
    assert begun.wait(10)
    quick.use("b")
    with memory.making(quick, Need(40, "c")), pytest.raises(TooManyCalls, match="try again in a few seconds"):
        Indexes(memory).use("d")
    go_on.set()
    slower.join(10)

    assert "d" == Indexes(memory).use("d")
    assert memory.used <= 100


def test_an_index_that_cannot_be_made_takes_nothing():
    memory = Memory(bytes=100, refuses=True)
    with pytest.raises(ZeroDivisionError):
        Indexes(memory, make=lambda _: 1 // 0).use("a")

    assert 0 == memory.used


def test_what_nobody_holds_any_more_does_not_count():
    """The caller's view is gone, and so are its indexes."""
    memory = Memory(bytes=100)
    indexes = Indexes(memory)
    indexes.use("a")
    indexes.forget("a")
    gc.collect()

    assert 0 == memory.used
