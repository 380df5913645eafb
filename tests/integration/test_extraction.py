"""Triples by a language model: nothing is lost, doubled or paid for twice, whatever fails."""

import json
import os
import re
import signal
import threading
from collections import Counter
from hashlib import blake2b

import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j.domain import Passage
from gear_neo4j.errors import ModelError
from gear_neo4j.extraction.extractor import ChatExtractor
from gear_neo4j.extraction.run import Extraction
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.models.chat import Chat
from tests.forks import Connecting, extracting
from tests.graphs import ingest
from tests.scripted_server import Fault, ScriptedServer

pytestmark = pytest.mark.one_server_line

PASSAGES = 500
FEW = 60
KILLS = 3
NAME = re.compile(r"Person (\d+) works")
STATES = Query(
    "states",
    "MATCH (p:Passage) OPTIONAL MATCH (p)<-[:FROM]-(t:Triple) WITH p, t ORDER BY t.id "
    "RETURN p.id AS id, p.extractedAt IS NOT NULL AS done, p.extractionError AS error, "
    "coalesce(last(p.extractors), p.extractionModel) AS model, "
    "collect(t.text) AS triples ORDER BY id",
)
GRAPH = Query(
    "graph",
    "MATCH (t:Triple)-[r]->(n) RETURN t.id AS id, type(r) AS type, coalesce(n.id, n.key) AS other, "
    "t.embedding IS NOT NULL AS embedded ORDER BY id, type, other",
)
# A tenth of the passages fail, in every possible way, most only at the first attempt, some always.
WAYS = [*Fault, 503]


def text(number):
    return f"Person {number} works at Company {number % 40}. Company {number % 40} makes Thing {number % 90}."


def triples_of(number):
    return [
        [f"Person {number}", "works at", f"Company {number % 40}"],
        [f"Company {number % 40}", "makes", f"Thing {number % 90}"],
    ]


def number_of(messages):
    return int(NAME.search(messages[1]["content"])[1])


def extract(messages):
    """The reply of a capable model."""
    return json.dumps({"entities": [], "triples": triples_of(number_of(messages))})


def chance(number, *of):
    """A number from 0 to 99 that depends only on the arguments."""
    return int.from_bytes(blake2b(f"{number}{of}".encode(), digest_size=4).digest(), "big") % 100


class Faults:
    """A tenth of the passages fail, always the same ones in the same way; counts the complete answers."""

    def __init__(self):
        self.attempts = Counter()
        self.lock = threading.Lock()

    def __call__(self, _number, messages):
        number = number_of(messages)
        if not self.faulty(number):
            return None
        with self.lock:
            self.attempts[number] += 1
            first = self.attempts[number] == 1
        return self.way(number) if first or self.fails(number) else None

    def faulty(self, number):
        return chance(number, "faulty") < 10

    def way(self, number):
        return WAYS[chance(number, "way") % len(WAYS)]

    def fails(self, number):
        """Whether a passage ends without triples."""
        return self.faulty(number) and self.way(number) is Fault.EMPTY and chance(number, "lasting") < 70


@pytest.fixture
def corpus(database, embedder, tmp_path):
    """500 passages without triples."""
    ingest(database, embedder, tmp_path, {f"p{number:03}": text(number) for number in range(PASSAGES)}, triples=None)
    return database


@pytest.fixture
def few(database, embedder, tmp_path):
    """60 passages without triples."""
    ingest(database, embedder, tmp_path, {f"p{number:03}": text(number) for number in range(FEW)}, triples=None)
    return database


def extractor_with(model, *, cache=None, concurrency=4, **options):
    client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=0.75)
    return ChatExtractor(Chat(client, cache=cache, concurrency=concurrency, sleep=lambda _seconds: None, **options))


def test_every_passage_ends_with_triples_or_a_recorded_error(corpus, embedder):
    """500 passages, a tenth of them with faults of all kinds."""
    faults, failures, seen = Faults(), [], []
    with ScriptedServer(extract, fault=faults, retry_after="0", slow=1.0) as server:
        extraction = Extraction(
            Graph(corpus), embedder, extractor_with(server), on_failure=failures.append, on_progress=seen.append
        )
        report = extraction.run()

    expected = [number for number in range(PASSAGES) if faults.fails(number)]
    assert expected, "some passages must fail for good"
    assert set(WAYS) == {faults.way(number) for number in range(PASSAGES) if faults.faulty(number)}
    for number, row in enumerate(corpus.run(STATES)):
        if number in expected:
            assert (False, [], "toy") == (row["done"], row["triples"], row["model"])
            assert "replied twice" in row["error"]
        else:
            cut = faults.faulty(number) and faults.way(number) is Fault.CUT
            whole = sorted(" ".join(parts) for parts in triples_of(number))
            assert (True, None, "toy") == (row["done"], row["error"], row["model"])
            assert whole == sorted(row["triples"]) or (cut and set(row["triples"]) < set(whole))
    assert (PASSAGES, len(expected)) == (report.done + report.failed, report.failed)
    assert sorted(f"p{number:03}" for number in expected) == sorted(failure.passage.id for failure in failures)
    assert PASSAGES == seen[-1].done + seen[-1].failed == seen[0].total
    assert report.usage.tokens > 0


def test_failed_passages_are_read_again_only_when_asked(corpus, embedder):
    """A second run makes no calls; with retry_failed, it calls the model for failed ones, which get their triples."""
    faults = Faults()
    with ScriptedServer(extract, fault=faults, retry_after="0", slow=1.0) as server:
        failed = Extraction(Graph(corpus), embedder, extractor_with(server)).run().failed
        before = len(server.requests)
        again = Extraction(Graph(corpus), embedder, extractor_with(server)).run()
        after = len(server.requests)
    with ScriptedServer(extract) as server:
        mended = Extraction(Graph(corpus), embedder, extractor_with(server), retry_failed=True).run()
        asked = len(server.requests)

    assert (0, before) == (again.total, after)
    assert (failed, failed, failed, 0) == (mended.total, mended.done, asked, mended.failed)
    assert all(row["done"] and row["error"] is None for row in corpus.run(STATES))


@pytest.fixture(scope="module")
def undisturbed():
    """The result of an undisturbed extraction from the corpus, once it has run."""
    return []


@pytest.mark.parametrize("threads", [1, 4])
def test_killed_three_times_it_ends_in_the_same_graph_and_pays_for_nothing_twice(
    corpus, embedder, server, tmp_path, threads, undisturbed
):
    """SIGKILL in the middle of a request, three times, compared with an undisturbed run; the server counts its answers.

    With one thread nothing else is in flight; with four, up to three answers may be on their way when the process dies.
    """
    if not undisturbed:
        with ScriptedServer(extract) as model:
            Extraction(Graph(corpus), embedder, extractor_with(model)).run()
        undisturbed += corpus.run(STATES), corpus.run(GRAPH)
        corpus.run(Query("undo", "MATCH (t:Triple) DETACH DELETE t", writes=True))
        corpus.run(
            Query("unmark", "MATCH (p:Passage) REMOVE p.extractedAt, p.extractors, p.extractionError", writes=True)
        )
    kills, running, answered = [60, 190, 333], [], Counter()

    def fatal(number, messages):
        if kills and number >= kills[0]:
            kills.pop(0)
            os.kill(running[-1].pid, signal.SIGKILL)
            return Fault.RESET
        answered[number_of(messages)] += 1
        return None

    with ScriptedServer(extract, fault=fatal) as model:
        codes = []
        while not codes or codes[-1] == -signal.SIGKILL:
            running.append(Connecting(extracting, server, model.url, tmp_path / "cache.sqlite", threads))
            codes.append(running[-1].wait())

    assert [*[-signal.SIGKILL] * KILLS, 0] == codes
    assert undisturbed == [corpus.run(STATES), corpus.run(GRAPH)]
    assert PASSAGES == len(answered)
    assert sum(answered.values()) - PASSAGES <= KILLS * (threads - 1)


def test_a_text_that_is_replaced_while_a_model_reads_it_waits_for_the_next_run(few, embedder):
    """It gets no triples of the old text, and is not marked as read."""
    new = Passage("p020", "", text(70))

    def replacing(messages):
        if number_of(messages) == 20:
            Graph(few).corpus.replace_passages([new], embedder.embed([new.content]).tolist(), widen=False)
        return extract(messages)

    with ScriptedServer(replacing) as server:
        Extraction(Graph(few), embedder, extractor_with(server)).run()
    first = few.run(STATES)[20]
    with ScriptedServer(extract) as server:
        report = Extraction(Graph(few), embedder, extractor_with(server)).run()
    second = few.run(STATES)[20]

    assert (False, []) == (first["done"], first["triples"])
    assert (1, True) == (report.done, second["done"])
    assert sorted(" ".join(parts) for parts in triples_of(70)) == sorted(second["triples"])


def test_a_model_that_cannot_do_it_is_stopped_after_ten_passages(few, embedder):
    """It costs ten calls and their repairs; nothing is recorded, so another model starts from the beginning."""
    with ScriptedServer(lambda messages: '{"triples": []}') as server:
        with pytest.raises(ModelError, match="first 10 passages"):
            Extraction(Graph(few), embedder, extractor_with(server)).run()
        assert len(server.requests) < 20

    assert not any(row["done"] or row["error"] for row in few.run(STATES))


def test_passages_without_facts_are_done_once_a_model_has_shown_that_it_can(few, embedder):
    """Nine without a triple, then one with: all ten count as read."""

    def late(messages):
        return extract(messages) if number_of(messages) >= 9 else '{"triples": []}'

    with ScriptedServer(late) as server:
        report = Extraction(Graph(few), embedder, extractor_with(server, concurrency=1)).run()

    assert (FEW, 0) == (report.done, report.failed)
    assert all(row["done"] for row in few.run(STATES))


def test_a_budget_of_tokens_stops_cleanly_and_the_rest_is_done_later(few, embedder):
    """Started passages are finished and written; the next run continues from there."""
    with ScriptedServer(extract) as server:
        one = Extraction(Graph(few), embedder, extractor_with(server), max_tokens=2_000).run()
        sent = len(server.requests)
        rest = Extraction(Graph(few), embedder, extractor_with(server)).run()
        both = len(server.requests)

    assert ("budget", sent) == (one.stopped, one.done)
    assert 2_000 <= one.usage.tokens < 3_000
    assert ("", FEW, FEW) == (rest.stopped, one.done + rest.done, both)


def test_a_budget_that_ends_with_the_last_passage_stops_nothing(database, embedder, tmp_path):
    """Nothing is left for another run."""
    ingest(database, embedder, tmp_path, {"one": text(0)}, None)
    with ScriptedServer(extract) as server:
        report = Extraction(Graph(database), embedder, extractor_with(server, concurrency=1), max_tokens=1).run()

    assert (1, "") == (report.done, report.stopped)


def test_a_server_that_goes_away_loses_nothing(few, embedder):
    """The error says what to do; earlier extractions stay, and the rest is done once the server is back."""
    with (
        ScriptedServer(extract, fault=lambda number, messages: 401 if number > 30 else None) as server,
        pytest.raises(ModelError, match="OPENAI_API_KEY"),
    ):
        Extraction(Graph(few), embedder, extractor_with(server)).run()
    done = sum(row["done"] for row in few.run(STATES))
    with ScriptedServer(extract) as server:
        rest = Extraction(Graph(few), embedder, extractor_with(server)).run()

    assert 20 <= done <= 30
    assert FEW == done + rest.done
