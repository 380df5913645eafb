"""Large loads, whose vector index of triples is dropped and rebuilt; and two concurrent writers."""

import json
import threading

import pytest

from gear_neo4j import Beam, Gear, Naive
from gear_neo4j.errors import IndexUnavailable
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema import bulk, migrations
from gear_neo4j.graph.schema.indexes import TRIPLE_INDEX, await_online
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.ingestion import reading
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.reading import estimated_triples, read_triples
from tests.integration.test_ingest import GRAPH, written

QUESTION = "Where did the 2024 physics laureate write a thesis?"
NAMES = [f"name {number % 7}" for number in range(60)]
MANY = [
    {"id": f"p{number}", "triples": [[NAMES[number], f"verb {part}", NAMES[number - part]] for part in range(5)]}
    for number in range(40)
]
PASSAGES = [{"id": row["id"], "text": f"text {row['id']}"} for row in MANY]


@pytest.fixture
def always(monkeypatch):
    """Every load counts as a large one."""
    monkeypatch.setattr(bulk, "WORTHWHILE", 1)


@pytest.fixture
def gear(database, embedder, server):
    """A Gear over the tests' database."""
    with Gear.connect(server, embedder=embedder) as gear:
        yield gear


def state(database):
    """The state of the index, or None if it does not exist."""
    return next((row["state"] for row in database.call("show_indexes") if row["name"] == TRIPLE_INDEX), None)


def test_a_large_load_does_without_the_index_and_a_search_works_meanwhile(gear, folder, always):
    """Even one that meets a hub, whose nearest triples come from the index; searches that need the index say so."""
    seen = []

    def look(progress):
        if progress.stage == "triples":
            hits = gear.search(QUESTION, retriever=Naive(beam=Beam(hub=1)))
            seen.append((state(gear.graph.database), {hit.passage.id for hit in hits}, hits.exact))
            with pytest.raises(IndexUnavailable, match="gear migrate"):
                gear.graph.store.link_triples([[1.0] * 384], query=[1.0] * 384)

    gear.ingest([folder], on_progress=look)

    assert [(None, {"p1", "p2"}, False)] == seen
    assert "ONLINE" == state(gear.graph.database)
    assert 2 == len(Graph(gear.graph.database).store.nearest_triples([1.0] * 384, k=5))


def test_what_is_repeated_leaves_the_index_alone(gear, folder, always):
    """Rebuilding it would be pointless."""
    gear.ingest([folder])
    states = []

    gear.ingest([folder], on_progress=lambda progress: states.append(state(gear.graph.database)))

    assert {"ONLINE"} == set(states)


def test_a_load_that_fails_brings_the_index_back(gear, folder, always, embedder, monkeypatch):
    """However the block ends."""

    def fail(texts):
        raise RuntimeError("out of memory")

    gear.ingest([folder / "corpus.jsonl"])
    monkeypatch.setattr(embedder, "embed", fail)
    with pytest.raises(RuntimeError, match="memory"):
        gear.ingest([], triples=[folder / "triples.jsonl"])

    await_online(gear.graph.database)
    assert "ONLINE" == state(gear.graph.database)


def test_an_index_that_a_killed_load_put_aside_is_made_by_the_next_migration(database, embedder):
    """It contains the triples written meanwhile."""
    database.execute(f"DROP INDEX {TRIPLE_INDEX}")

    prepare(database, model=embedder.name, dimension=embedder.dimension)

    assert "ONLINE" == state(database)


def test_the_rest_of_a_killed_load_waits_until_the_index_is_built(gear, folder):
    """The rest is small, but the next search needs the index that the large load dropped."""
    gear.ingest([folder])
    database = gear.graph.database
    database.execute(f"DROP INDEX {TRIPLE_INDEX}")

    with bulk.loading(database, dimension=384, expected=0):
        migrations.restore(database, dimension=384)

    assert "ONLINE" == state(database)


def test_two_that_ingest_the_same_at_once_write_it_once(database, server, embedder, tmp_path):
    """Every node and edge is as if one had written it alone, although they interfere all the time."""
    written(tmp_path, corpus=PASSAGES, triples=MANY)
    Ingest(Graph(database), embedder).run([tmp_path / "corpus.jsonl"], [tmp_path / "triples.jsonl"])
    alone = database.run(GRAPH)
    database.run(Query("clear", "MATCH (n:Triple|Entity|Passage) DETACH DELETE n", writes=True))
    errors = []

    def ingest():
        try:
            with Gear.connect(server, embedder=embedder) as gear:
                gear.ingest([tmp_path / "corpus.jsonl"], triples=[tmp_path / "triples.jsonl"])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ingest) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == errors
    assert alone == database.run(GRAPH)


def test_the_number_of_triples_is_estimated_from_the_first_lines(tmp_path):
    """From their size; unreadable lines count nothing."""
    triples = written(tmp_path, triples=MANY) / "triples.jsonl"

    assert 200 == estimated_triples([triples])
    (tmp_path / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MANY * 5))
    assert 1_000 == pytest.approx(estimated_triples([tmp_path / "more.jsonl"]), rel=0.02)
    (tmp_path / "none.jsonl").write_text("nonsense\n")
    assert 0 == estimated_triples([tmp_path / "none.jsonl"])


def test_the_triples_of_a_passage_stay_together(tmp_path, monkeypatch):
    """Only a passage with more triples than a batch holds is split, and its batches say so."""
    monkeypatch.setattr(reading, "TRIPLES_A_BATCH", 7)
    file = written(tmp_path, triples=MANY) / "triples.jsonl"

    found = list(read_triples([file]))

    assert {10} == {len(batch.triples) for batch in found if batch.triples}
    assert not any(batch.goes_on for batch in found)
    monkeypatch.setattr(reading, "TRIPLES_AT_MOST", 3)
    found = list(read_triples([file]))
    assert {3, 2} == {len(batch.triples) for batch in found if batch.triples}
    assert [False, True] == [batch.goes_on for batch in found[:2]]
    assert [[], ["p0"]] == [batch.completed for batch in found[:2]]
