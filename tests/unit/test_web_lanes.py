"""Lanes: so many calls at a time, and what is cut ends."""

import asyncio
import threading

import pytest
from starlette.exceptions import HTTPException

from gear_neo4j.cancellation import cancelled
from gear_neo4j.web.lanes import Lane

PATIENCE = 10


def until_cancelled():
    """A call that ends at its next step."""
    ended = threading.Event()

    def call():
        while not cancelled():
            ended.wait(0.005)
        ended.set()

    return call, ended


def test_the_result_and_the_error_of_a_call_come_back():
    """As they are, also an error that looks like a timeout."""

    async def run():
        lane = Lane("searches", most=1)
        results = [await lane.run(lambda: 7, seconds=PATIENCE)]
        with pytest.raises(ZeroDivisionError):
            await lane.run(lambda: 1 / 0, seconds=PATIENCE)
        with pytest.raises(TimeoutError, match="of the call"):
            await lane.run(_slow, seconds=PATIENCE)
        return [*results, lane.running]

    assert [7, 0] == asyncio.run(run())


def _slow():
    raise TimeoutError("of the call")


def test_one_more_than_may_run_is_refused_at_once():
    """With the seconds after which it may be tried again; a place that is free again is taken."""

    async def run():
        lane, gate = Lane("searches", most=2), threading.Event()
        running = [lane.start(gate.wait) for _ in range(2)]
        with pytest.raises(HTTPException) as refused:
            lane.start(gate.wait)
        busy = lane.running
        gate.set()
        for call in running:
            await asyncio.wrap_future(call.future)
        return refused.value.status_code, refused.value.headers, busy, await lane.run(lambda: 1, seconds=PATIENCE)

    assert (429, {"Retry-After": "1"}, 2, 1) == asyncio.run(run())


def test_a_call_that_gets_no_thread_leaves_its_slot_free(monkeypatch):
    """The machine has no more threads for a moment: that is told, and the next call runs."""
    lane = Lane("searches", most=1)
    with monkeypatch.context() as short:
        short.setattr(threading.Thread, "start", _no_thread)
        with pytest.raises(HTTPException, match="no thread") as refused:
            lane.start(lambda: 1)

    assert (503, {"Retry-After": "1"}, 0) == (refused.value.status_code, refused.value.headers, lane.running)
    assert 1 == lane.start(lambda: 1).future.result(PATIENCE)


def _no_thread(_thread):
    raise RuntimeError("can't start new thread")


def test_a_call_that_takes_too_long_is_cut_and_keeps_its_place_until_it_ends():
    """Otherwise many slow calls could run beside each other, each of them given up."""

    async def run():
        lane, gate = Lane("searches", most=1), threading.Event()
        with pytest.raises(HTTPException) as late:
            await lane.run(gate.wait, seconds=0.01)
        with pytest.raises(HTTPException) as refused:
            lane.start(gate.wait)
        gate.set()
        while lane.running:
            await asyncio.sleep(0.005)
        return late.value.status_code, refused.value.status_code, await lane.run(lambda: 1, seconds=PATIENCE)

    assert (504, 429, 1) == asyncio.run(run())


def test_a_lane_that_is_closed_ends_its_calls_and_waits_for_them():
    """But not longer than it is allowed to."""
    lane = Lane("questions", most=2)
    call, ended = until_cancelled()
    gate = threading.Event()
    lane.start(call)
    stubborn = lane.start(gate.wait)
    lane.close(seconds=0.05)

    assert (True, False, 1) == (ended.is_set(), stubborn.future.done(), lane.running)
    gate.set()
    lane.close(seconds=PATIENCE)
    assert 0 == lane.running


def test_whoever_stops_waiting_ends_the_call():
    """At its next step; its place is free after that."""

    async def run():
        lane = Lane("questions", most=1)
        call, ended = until_cancelled()
        waiting = asyncio.create_task(lane.run(call, seconds=PATIENCE))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        has_ended = await asyncio.to_thread(ended.wait, PATIENCE)
        return has_ended, await lane.run(lambda: 1, seconds=PATIENCE)

    assert (True, 1) == asyncio.run(run())
