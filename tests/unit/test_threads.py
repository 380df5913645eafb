"""Calls in threads: a limited number at a time, and cancelled ones end."""

import threading
from functools import partial

import anyio
import pytest

from gear_neo4j.cancellation import cancelled
from gear_neo4j.errors import CallTimeout, TooManyCalls
from gear_neo4j.threads import Feed, ThreadLimiter

PATIENCE = 10
LOOPS = pytest.mark.parametrize("loop", ["asyncio", "trio"])


def until_cancelled():
    """A call that ends at its next step."""
    ended = threading.Event()

    def call():
        while not cancelled():
            ended.wait(0.005)
        ended.set()

    return call, ended


async def until_free(limiter):
    with anyio.fail_after(PATIENCE):
        while limiter.running:
            await anyio.sleep(0.005)


@LOOPS
def test_the_result_and_the_error_of_a_call_come_back(loop):
    """Unchanged, even an error that looks like a timeout."""

    async def run():
        limiter = ThreadLimiter("searches", most=1)
        results = [await limiter.run(lambda: 7, seconds=PATIENCE)]
        with pytest.raises(ZeroDivisionError):
            await limiter.run(lambda: 1 / 0, seconds=PATIENCE)
        with pytest.raises(TimeoutError, match="of the call"):
            await limiter.run(_slow, seconds=PATIENCE)
        return [*results, limiter.running]

    assert [7, 0] == anyio.run(run, backend=loop)


def _slow():
    raise TimeoutError("of the call")


def test_one_more_than_may_run_is_refused_at_once():
    """A freed slot can be used."""

    async def run():
        limiter, gate = ThreadLimiter("searches", most=2), threading.Event()
        running = [limiter.start(gate.wait) for _ in range(2)]
        with pytest.raises(TooManyCalls, match="2 searches run at once"):
            limiter.start(gate.wait)
        busy = limiter.running
        gate.set()
        for call in running:
            await call.result()
        return busy, await limiter.run(lambda: 1, seconds=PATIENCE)

    assert (2, 1) == anyio.run(run)


@LOOPS
def test_a_call_that_takes_too_long_is_cut_and_keeps_its_slot_until_it_ends(loop):
    """Otherwise many slow calls could run at once, all of them abandoned."""

    async def run():
        limiter, gate = ThreadLimiter("searches", most=1), threading.Event()
        with pytest.raises(CallTimeout, match=r"no result after 0\.01 s"):
            await limiter.run(gate.wait, seconds=0.01)
        with pytest.raises(TooManyCalls):
            limiter.start(gate.wait)
        gate.set()
        await until_free(limiter)
        return await limiter.run(lambda: 1, seconds=PATIENCE)

    assert 1 == anyio.run(run, backend=loop)


@LOOPS
def test_a_call_that_waits_begins_when_a_slot_is_free(loop):
    """However many wait; no more than the limit run, even if some waiting ones have left."""
    most, lock = {"now": 0, "most": 0}, threading.Lock()

    def call(number):
        with lock:
            most["now"] += 1
            most["most"] = max(most.values())
        threading.Event().wait(0.002)
        with lock:
            most["now"] -= 1
        done.append(number)

    async def impatient(limiter):
        with anyio.move_on_after(0.001):
            await limiter.run(lambda: None, waits=True)

    async def run():
        limiter = ThreadLimiter("calls", most=3)
        async with anyio.create_task_group() as group:
            for number in range(40):
                group.start_soon(partial(limiter.run, partial(call, number), waits=True))
                group.start_soon(impatient, limiter)
        await until_free(limiter)

    done = []
    anyio.run(run, backend=loop)

    assert set(range(40)) == set(done)
    assert most["most"] <= 3


def test_a_thread_that_cannot_be_started_leaves_its_slot_free(monkeypatch):
    """Otherwise a short lack of threads would block calls until a restart."""
    limiter = ThreadLimiter("searches", most=1)

    def fail(_):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", fail)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="can't start new thread"):
                limiter.start(lambda: 1)

    assert 0 == limiter.running
    assert 1 == limiter.start(lambda: 1).future.result(PATIENCE)


def test_a_limiter_that_is_closed_ends_its_calls_and_waits_for_them():
    """With a time limit."""
    limiter = ThreadLimiter("questions", most=2)
    call, ended = until_cancelled()
    gate = threading.Event()
    limiter.start(call)
    stubborn = limiter.start(gate.wait)
    limiter.close(seconds=0.05)

    assert (True, False, 1) == (ended.is_set(), stubborn.future.done(), limiter.running)
    gate.set()
    limiter.close(seconds=PATIENCE)
    assert 0 == limiter.running


@LOOPS
def test_whoever_stops_waiting_ends_the_call(loop):
    """At its next step; then its slot is free."""

    async def run():
        limiter = ThreadLimiter("questions", most=1)
        call, ended = until_cancelled()
        with anyio.move_on_after(0.01):
            await limiter.run(call)
        has_ended = await anyio.to_thread.run_sync(ended.wait, PATIENCE)
        await until_free(limiter)
        return has_ended, await limiter.run(lambda: 1, seconds=PATIENCE)

    assert (True, 1) == anyio.run(run, backend=loop)


@LOOPS
def test_a_feed_has_every_item_in_order_and_then_the_error(loop):
    """Including the last moment; a reader that stops waiting for an item misses none."""

    def call(put):
        for number in range(1_000):
            put(number)
        raise ZeroDivisionError

    async def read(items):
        feed = Feed()
        feed.follow(ThreadLimiter("runs", most=1).start(partial(call, feed.put)))
        while True:
            with anyio.move_on_after(0):
                items.append(await anext(feed))
            await anyio.sleep(0)

    items = []
    with pytest.raises(ZeroDivisionError):
        anyio.run(read, items, backend=loop)

    assert list(range(1_000)) == items


def test_a_call_outlives_the_loop_that_waited_for_it():
    """Nobody is left to notify, and nothing fails."""
    gate, limiter = threading.Event(), ThreadLimiter("runs", most=1)

    async def run():
        feed = Feed()
        running = limiter.start(lambda: gate.wait() and feed.put(1))
        feed.follow(running)
        with anyio.move_on_after(0.01):
            await running.result()
        return running

    running = anyio.run(run)
    gate.set()

    assert running.future.result(PATIENCE) is None
    assert 0 == limiter.running
