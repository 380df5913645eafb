"""Writer threads: order, limits, and errors."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.graph.schema.bulk import WORTHWHILE, is_large
from gear_neo4j.ingestion.writers import AHEAD, THREADS, Writers


def test_outcomes_are_reported_in_order_in_the_thread_that_submits():
    """Whichever is done first."""
    told, threads = [], set()

    def work(number):
        time.sleep(0.02 if number % 2 else 0)
        return number, threading.current_thread().name

    def then(outcome):
        told.append(outcome[0])
        threads.add((outcome[1].startswith("gear-writer"), threading.current_thread() is threading.main_thread()))

    with Writers() as writers:
        for number in range(12):
            writers.submit(lambda number=number: work(number), then)

    assert list(range(12)) == told
    assert {(True, True)} == threads


def test_no_more_is_read_ahead_than_fits():
    """Memory is limited, however slow the server is."""
    begun, told = [], []

    def one(number):
        begun.append(number)
        assert len(begun) - len(told) <= AHEAD
        return number

    with Writers() as writers:
        for number in range(40):
            writers.submit(lambda number=number: one(number), told.append)
            assert number + 1 - len(told) <= AHEAD


def test_as_many_write_at_once_as_there_are_threads():
    """They meet at a barrier where one alone would wait forever."""
    barrier = threading.Barrier(THREADS)

    with Writers() as writers:
        for _ in range(THREADS):
            writers.submit(lambda: barrier.wait(timeout=10), lambda _: None)


def test_an_error_ends_the_writing_and_earlier_outcomes_stay():
    """Nothing new begins after it."""
    told, begun = [], []

    def fail():
        raise ValueError("no")

    def work():
        with Writers(threads=1) as writers:
            writers.submit(lambda: 1, told.append)
            writers.submit(fail, told.append)
            for _ in range(2 * AHEAD):
                writers.submit(lambda: begun.append(1), told.append)

    with pytest.raises(ValueError, match="no"):
        work()

    assert [1] == told
    assert len(begun) < 2 * AHEAD


def test_an_error_of_the_reader_is_not_hidden_by_the_writers():
    """The block's own error is raised."""

    def work():
        with Writers() as writers:
            writers.submit(lambda: time.sleep(0.01), lambda _: None)
            raise KeyError("reader")

    with pytest.raises(KeyError):
        work()


@given(expected=st.integers(0, 10**7), present=st.integers(0, 10**7))
def test_the_index_is_dropped_only_for_a_load_larger_than_the_graph(expected, present):
    """So a repeated ingest never rebuilds it."""
    if is_large(expected=expected, present=present):
        assert expected - present >= max(WORTHWHILE, present)
    assert not is_large(expected=present, present=present)
