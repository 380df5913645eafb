"""Cached values of the graph; the test sets the clock and the versions."""

from threading import Thread

import pytest

from gear_neo4j.graph.read.pagerank_queries import Version
from gear_neo4j.graph.read.versioned import Versioned


class World:
    """A graph with only a version and a time; counts the requests."""

    def __init__(self):
        self.passages = 1
        self.now = 100.0
        self.asked = 0
        self.made = 0

    def version(self):
        self.asked += 1
        return Version("stamp", self.passages, 0, 0, 0)

    def make(self, version):
        self.made += 1
        return version.passages

    def kept(self, recheck=1.0):
        return Versioned(self.make, version=self.version, recheck=recheck, clock=lambda: self.now)


@pytest.fixture
def world():
    return World()


def test_a_version_is_asked_for_once_a_second(world):
    """For any number of searches; an unchanged graph is not read again."""
    kept = world.kept()

    for seconds in (0.0, 0.5, 0.4, 0.2, 0.9):
        world.now += seconds
        assert 1 == kept.current()

    assert (2, 1) == (world.asked, world.made)


def test_a_change_by_anybody_is_seen_a_second_later_at_most(world):
    """Without a notification."""
    kept = world.kept()
    kept.current()
    world.passages = 2

    world.now += 0.999
    assert 1 == kept.current()
    world.now += 0.001
    assert 2 == kept.current()


def test_what_this_process_wrote_is_seen_at_once(world):
    """It reports its own writes."""
    kept = world.kept()
    kept.current()
    world.passages = 2
    kept.invalidate()

    assert 2 == kept.current()
    assert 2 == world.asked


def test_what_is_written_while_a_value_is_made_leaves_it_stale(world):
    """The version is read before the graph, so a partial index is not kept as complete."""

    def make(version):
        world.passages = 2
        return world.make(version)

    kept = Versioned(make, version=world.version, clock=lambda: world.now)

    assert 1 == kept.current()
    assert 2 == kept.current()
    assert 2 == kept.current()
    assert 2 == world.made


def test_a_value_that_could_not_be_made_is_tried_again(world):
    """The next search builds the value again instead of raising the same error."""
    failures = [RuntimeError("away")]

    def make(version):
        if failures:
            raise failures.pop()
        return version.passages

    kept = Versioned(make, version=world.version, recheck=1.0, clock=lambda: world.now)
    with pytest.raises(RuntimeError, match="away"):
        kept.current()

    assert 1 == kept.current()


def test_a_change_whose_value_could_not_be_made_is_not_forgotten(world):
    """The old value is not mistaken for the new one after the failure."""
    kept = Versioned(lambda version: 1 // (version.passages % 3), version=world.version, recheck=1.0)
    assert 1 == kept.current()
    world.passages = 3
    kept.invalidate()
    with pytest.raises(ZeroDivisionError):
        kept.current()
    world.passages = 2

    assert 0 == kept.current()


def test_a_part_is_of_the_version_of_the_whole(world):
    """Even if the part was checked a moment ago, and would not check its version again."""
    part = world.kept(recheck=60.0)
    whole = Versioned(lambda version: [part.at(version)], version=world.version, clock=lambda: world.now)
    part.current()
    world.passages = 2

    assert [2] == whole.current()


def test_threads_that_search_at_once_read_the_graph_once(world):
    """The others wait for the first one."""
    kept = world.kept()
    threads = [Thread(target=kept.current) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (1, 1) == (world.asked, world.made)
