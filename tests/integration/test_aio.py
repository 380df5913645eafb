"""The asyncio API: nothing blocks the loop, and cancelled calls end."""

import threading
import time
from contextlib import asynccontextmanager
from functools import partial

import anyio
import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j import AsyncGear, Base, GearAgent, Naive
from gear_neo4j.errors import InputError
from gear_neo4j.gear.aio import THREADS
from gear_neo4j.models.chat import Chat
from tests.graphs import opened
from tests.scripted_server import ScriptedServer
from tests.toy_model import QUESTION, TRIPLES, ToyModel

pytestmark = pytest.mark.one_server_line

FACTS = [(passage, *triple) for passage, triples in TRIPLES.items() for triple in triples]
TICK = 0.005
ROUNDS = 4


@asynccontextmanager
async def ticking(gaps):
    """A task that ticks every 5 ms; ``gaps`` receives the times between ticks, in seconds."""

    async def tick():
        last = time.perf_counter()
        while True:
            await anyio.sleep(TICK)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    async with anyio.create_task_group() as group:
        group.start_soon(tick)
        yield
        group.cancel_scope.cancel()


def test_fifty_questions_at_once_do_not_block_the_loop(corpus, server, embedder):
    """No tick of a concurrent task is more than 50 ms later than beside the same questions in plain threads.

    A blocked loop shows in every round; how busy the machine is shows beside the plain threads, too.
    """
    plain, rounds, found = [], [], []

    async def ticks(ask):
        """The times between ticks while fifty questions are asked."""
        gaps = []
        async with ticking(gaps), anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(ask)
        return gaps

    async def run(gear):
        agear = AsyncGear(gear)
        limiter = anyio.CapacityLimiter(THREADS)
        await agear.search(QUESTION)

        async def in_thread():
            await anyio.to_thread.run_sync(partial(gear.search, QUESTION, k=2), limiter=limiter)

        async def search():
            found.append(await agear.search(QUESTION, k=2))

        for _ in range(ROUNDS):
            plain.append(await ticks(in_thread))
            rounds.append(await ticks(search))

    with opened(server, embedder) as gear:
        expected = gear.search(QUESTION, k=2).hits
        anyio.run(run, gear)

    assert [expected] * 50 * ROUNDS == [hits.hits for hits in found]
    assert all(rounds)
    latest = [[max(gaps) for gaps in some] for some in (rounds, plain)]
    assert min(latest[0]) - max(latest[1]) < 0.05, f"latest ticks: {latest}"


def test_an_error_reaches_whoever_awaits(corpus, server, embedder):
    """The error is the one that was raised."""

    async def run(gear):
        await AsyncGear(gear).search(" ")

    with opened(server, embedder) as gear, pytest.raises(InputError, match="the question is empty"):
        anyio.run(run, gear)


def asked(server, embedder, model):
    """A Gear whose chat model is a scripted server."""
    client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=5)
    return opened(server, embedder, chat=Chat(client))


def test_events_come_as_they_happen_and_the_answer_last(corpus, server, embedder):
    """After the pieces of the answer; the answer is the same as without a loop."""
    events = []

    async def run(gear):
        async for event in AsyncGear(gear).stream(QUESTION, k=4):
            events.append(event)

    with ScriptedServer(ToyModel()) as model, asked(server, embedder, model) as gear:
        anyio.run(run, gear)
        answer = gear.ask(QUESTION, k=4)

    assert ("question", "answer") == (events[0].kind, events[-1].kind)
    assert answer.text == events[-1].answer.text
    assert "Scotland" in "".join(event.text for event in events if event.kind == "token")


def threads():
    """The threads that answer questions."""
    return [thread for thread in threading.enumerate() if thread.name.startswith(("gear-stream", "AnyIO"))]


def test_a_cancelled_question_ends_at_its_next_step_and_frees_its_thread(corpus, server, embedder):
    """No further call of the model begins once the current one has returned."""
    begun, release = threading.Event(), threading.Event()

    def slow(messages):
        begun.set()
        release.wait(5)
        return ToyModel()(messages)

    async def run(gear):
        agear = AsyncGear(gear, threads=1)
        agent = GearAgent(over=Base(base="bm25"))
        with anyio.move_on_after(10) as scope:
            async with anyio.create_task_group() as group:

                async def cancel():
                    await anyio.to_thread.run_sync(begun.wait)
                    scope.cancel()

                group.start_soon(cancel)
                await agear.ask(QUESTION, agent=agent)
        release.set()
        # The only thread is free again: the next question gets it.
        return await agear.search(QUESTION, k=1, retriever=Naive(base="bm25"))

    with ScriptedServer(slow) as model, asked(server, embedder, model) as gear:
        hits = anyio.run(run, gear)
        deadline = time.monotonic() + 5
        while len(model.requests) > 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert 1 == len(model.requests)

    assert 1 == len(hits)


def test_calls_that_nobody_waits_for_any_more_keep_their_threads_from_others():
    """Also if each call has its own AsyncGear: at most 8 run, and closing one waits for no call of another."""
    running, most, lock, release = set(), [], threading.Lock(), threading.Event()

    class Slow:
        def search(self, question, **options):
            with lock:
                running.add(question)
                most.append(len(running))
            release.wait(20)
            running.discard(question)

        def close(self):
            pass

    async def call(number):
        with anyio.move_on_after(0.1):
            await AsyncGear(Slow()).search(number)

    async def run():
        for start in (0, 8, 16):
            async with anyio.create_task_group() as group:
                for number in range(start, start + 8):
                    group.start_soon(call, number)
        with anyio.fail_after(5):
            await AsyncGear(Slow()).close()

    try:
        anyio.run(run)
    finally:
        release.set()

    assert 8 == max(most)


def test_closing_waits_for_the_calls_that_were_cancelled(corpus, server, embedder):
    """They use the driver until they end."""
    begun, release, ended = threading.Event(), threading.Event(), []

    def slow(messages):
        begun.set()
        release.wait(5)
        ended.append(time.monotonic())
        return ToyModel()(messages)

    async def run(gear):
        async with AsyncGear(gear, threads=1) as agear:
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(partial(agear.ask, QUESTION, agent=GearAgent(over=Base(base="bm25"))))
                    await anyio.to_thread.run_sync(begun.wait)
                    scope.cancel()
            threading.Timer(0.3, release.set).start()
        return time.monotonic()

    with ScriptedServer(slow) as model, asked(server, embedder, model) as gear:
        closed = anyio.run(run, gear)

    assert ended
    assert ended[0] < closed


def test_a_stream_that_is_left_early_ends_its_run(corpus, server, embedder):
    """Closed or dropped after its first event; the thread of the run ends by itself."""
    toy, dropped = ToyModel(), threading.Event()

    def held(messages):
        # No reply until the stream is gone, otherwise a fast model would be called again in the meantime.
        dropped.wait(10)
        return toy(messages)

    with ScriptedServer(held) as model, asked(server, embedder, model) as gear:
        for event in gear.stream(QUESTION, agent=GearAgent(over=Base(base="bm25"), max_steps=4)):
            assert "question" == event.kind
            break
        dropped.set()
        deadline = time.monotonic() + 5
        while any(thread.name == "gear-stream" for thread in threads()) and time.monotonic() < deadline:
            time.sleep(0.05)

        assert not [thread for thread in threads() if thread.name == "gear-stream"]
        assert len(model.requests) <= 1
