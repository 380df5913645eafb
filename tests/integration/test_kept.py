"""What a Gear caches between questions: it follows the graph, whoever changes it, and is not rebuilt needlessly."""

import json
import logging
import math
import time

import neo4j
import pytest

from gear_neo4j import Base, Gear
from gear_neo4j.errors import InputError
from gear_neo4j.gear.front import within
from gear_neo4j.graph.connection.query_log import LOGGER
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.memory import Memory
from gear_neo4j.ingestion.reading import PASSAGES_A_BATCH
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank import ranker_cache as kept
from gear_neo4j.retrieval.rank.ranker_cache import RankerCache
from gear_neo4j.settings import Settings
from tests.graphs import ingest, opened
from tests.unit.test_colbert import Letters
from tests.web import client_of

pytestmark = pytest.mark.one_server_line

PASSAGES = {"prize": "The 2024 physics prize went to Hinton.", "study": "Hinton wrote a thesis at Edinburgh."}
TRIPLES = [("prize", "physics prize 2024", "went to", "Hinton"), ("study", "Hinton", "wrote a thesis at", "Edinburgh")]
NEW = {"id": "new", "text": "Vistula flows through Warsaw."}
QUESTION = "Vistula Warsaw"


@pytest.fixture
def graph(database, embedder, tmp_path):
    """Two passages; the one that a test adds shares no word with them."""
    ingest(database, embedder, tmp_path, PASSAGES, TRIPLES)
    return database


@pytest.fixture
def more(tmp_path):
    """A file with one more passage."""
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps(NEW))
    return file


def first(hits):
    """The id of the first hit from BM25, or None."""
    return next((hit.passage.id for hit in hits if "bm25" in {source.name for source in hit.sources}), None)


@pytest.mark.parametrize("base", ["bm25", "hybrid"])
def test_what_another_process_ingests_is_found_a_second_later(graph, server, embedder, more, base):
    """Even by a retriever that is kept for many questions; the two Gears do not know each other."""
    with opened(server, embedder) as gear, opened(server, embedder) as other:
        held = gear.retriever(Base(base=base))
        assert (None, None) == (first(gear.search(QUESTION, retriever=Base(base=base))), first(held.retrieve(QUESTION)))
        other.ingest([more])
        time.sleep(kept.RECHECK)

        assert "new" == first(held.retrieve(QUESTION))
        assert "new" == first(gear.search(QUESTION, retriever=Base(base=base)))


@pytest.mark.parametrize("base", ["bm25", "hybrid"])
def test_a_search_during_an_ingest_keeps_no_half_of_an_index(database, server, embedder, tmp_path, monkeypatch, base):
    """The next search finds everything at once."""
    monkeypatch.setattr(kept, "RECHECK", math.inf)
    rows = [{"id": f"p{number:03}", "text": f"word{number}"} for number in range(PASSAGES_A_BATCH)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, NEW]))
    during = []

    with opened(server, embedder) as gear:

        def look(progress):
            if progress.stage == "passages":
                during.append([first(gear.search(text, retriever=Base(base=base))) for text in ("word7", QUESTION)])

        # If passages may be replaced, a batch is written only after the previous one was reported.
        gear.ingest([tmp_path / "corpus.jsonl"], replace=True, on_progress=look)
        after = first(gear.search(QUESTION, retriever=Base(base=base)))

    assert ["p007", None] == during[0]
    assert "new" == after


def test_the_hybrid_takes_no_older_index_of_words(graph, server, embedder, tmp_path, more, monkeypatch):
    """BM25's index was checked a moment ago; the hybrid's is built now, from the current graph."""
    monkeypatch.setattr(kept, "RECHECK", math.inf)
    rankers = RankerCache(Graph(graph), home=tmp_path)
    question = Question(QUESTION, embedder=embedder)
    assert [] == rankers.ranker("bm25").rank(question, k=3)
    with opened(server, embedder) as other:
        other.ingest([more])

    assert ["new"] == [item.id for item in rankers.ranker("hybrid").rank(question, k=3)]


@pytest.mark.parametrize("base", ["bm25", "hybrid"])
def test_a_held_retriever_of_a_database_that_was_emptied_says_so(graph, server, embedder, base):
    """With the same line as any search of an empty database."""
    with opened(server, embedder) as gear:
        held = gear.retriever(Base(base=base))
        graph.execute("MATCH (n:__GearStore) DELETE n")
        time.sleep(kept.RECHECK)

        with pytest.raises(InputError, match="holds no passages yet: run 'gear ingest' for documents, or 'gear adopt'"):
            held.retrieve(QUESTION)


@pytest.mark.parametrize(
    ("retriever", "loaded"), [("naive", 1), ("base", 1), ("scout", 0), ("hipporag2", 0), ("subgraph", 0)]
)
def test_passages_are_loaded_into_memory_only_for_what_ranks_them_there(
    graph, server, embedder, caplog, retriever, loaded
):
    """Counted in the query log, over the first two searches of a session."""
    caplog.set_level(logging.DEBUG, logger=LOGGER.name)

    with opened(server, embedder) as gear:
        for question in ("Hinton", "Edinburgh"):
            assert gear.search(question, retriever=retriever).hits

    queries = [record.query for record in caplog.records if record.name == LOGGER.name]
    assert loaded == queries.count("all_passages")
    # Some return the contents of passages along with something else.
    assert {"base": "find_passages", "naive": "start_paths"}.get(retriever, "passages_by_id") in queries


@pytest.fixture
def many(database, embedder, server, tmp_path):
    """Twenty passages that a filter can distinguish, each with a triple."""
    rows = [
        {
            "id": f"p{number}",
            "text": f"Person{number} lives in Town{number}.",
            "metadata": {"number": number},
            "triples": [[f"Person{number}", "lives in", f"Town{number}"]],
        }
        for number in range(20)
    ]
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with opened(server, embedder) as gear:
        gear.ingest([file], triples=[file])
    return database


def test_the_indexes_of_all_views_have_room_together(many, server, embedder, caplog):
    """For any number of filters; each search finds what it should, even if its index was dropped."""
    caplog.set_level(logging.DEBUG, logger=LOGGER.name)
    memory, views = Memory(bytes=64 * 1024, refuses=True), 48
    with opened(server, embedder) as gear:
        callers, found, used = within(gear, memory), [], []
        narrowed = [
            callers.scoped(where=f"number = {number % 16} or number = {-1 - number}") for number in range(views)
        ]
        for number in (*range(views), *range(views)):
            hits = narrowed[number].search(f"Person{number % 16}", k=1, retriever=Base(base="bm25"))
            found.append(hits[0].passage.id == f"p{number % 16}")
            used.append(memory.used)
            if len(found) <= views:
                narrowed[number].search(f"Person{number % 16}", k=1, retriever="hipporag2")
                used.append(memory.used)
        with pytest.raises(
            InputError, match=r"^bm25 over 20 passages would take 1 MiB of memory, .*GEAR_SERVE_MEMORY$"
        ):
            callers.search("Person1", retriever=Base(base="bm25"))

    queries = [record.query for record in caplog.records if record.name == LOGGER.name]
    assert all(found)
    assert max(used) <= 64 * 1024
    assert queries.count("all_passages") > views


def test_a_caller_of_the_service_is_refused_what_has_no_room(many, server, embedder):
    """The message says what to do, and searches that need no memory work."""
    with opened(server, embedder) as gear, client_of(gear, memory=200 * 1024) as client:
        refused = client.post(
            "/api/search", json={"question": "Person1", "retriever": {"name": "base", "base": "bm25"}}
        )
        narrowed = client.post(
            "/api/search", json={"question": "Person1", "retriever": "base", "base": "bm25", "where": "number = 1"}
        )
        scout = client.post("/api/search", json={"question": "Person1", "retriever": "scout"})
        counted = next(line for line in client.get("/metrics").text.splitlines() if line.startswith("gear_memory"))

    assert (422, 200, 200) == (refused.status_code, narrowed.status_code, scout.status_code)
    assert "bm25 over 20 passages" in refused.json()["detail"]
    assert 0 < float(counted.split()[1]) <= 200 * 1024


def test_the_index_of_colbert_lies_in_the_home_of_the_session(graph, server, embedder, tmp_path, monkeypatch):
    """Under the name of its own model, independent of the embedder and the environment, so it is built once."""
    encoders = []

    def encoder():
        encoders.append(Letters("family/letters"))
        return encoders[-1]

    monkeypatch.setattr(kept, "PyLateEncoder", encoder)
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GEAR_EMBEDDING_MODEL", "another")
    settings = Settings(home=tmp_path / "home")
    for _ in range(2):
        with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
            gear = Gear(driver, database=server.database, embedder=embedder, settings=settings)
            assert "study" == gear.search("edinburgh.", retriever=Base(base="colbert"))[0].passage.id

    file = tmp_path / "home" / "colbert" / f"{graph.name}-family-letters" / "tokens.npz"
    assert [file] == list(tmp_path.rglob("tokens.npz"))
    assert [2, 0] == [made.encoded for made in encoders]
