"""The findings of ``gear doctor``, and the query log, on a real database."""

import json
import logging

import pytest

from gear_neo4j.errors import DatabaseError
from gear_neo4j.gear.doctor import LIMITS, Doctor, about_limits
from gear_neo4j.graph.connection.query_log import LOGGER
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.indexes import expected_indexes
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.retrieval.walk.beam import Beam
from tests.commands import one_line
from tests.fake_embedder import FakeEmbedder


@pytest.fixture
def filled(database, embedder, folder):
    """The two passages of the command line's tests."""
    Ingest(Graph(database), embedder).run([folder / "corpus.jsonl"], [folder / "triples.jsonl"])
    return database


def levels(found):
    return {one.subject: one.level for one in found.findings}


def test_a_database_that_is_well_has_no_findings_but_good_ones(filled, embedder):
    """The three hot queries are profiled as in a search, and nothing is changed."""
    before = Graph(filled).store.counts()

    found = Doctor(Graph(filled), embedder).examine()

    # The limits depend on the tests' server.
    own = {subject: level for subject, level in levels(found).items() if subject != "limits"}
    assert {"server", "schema", "contents", "page cache", "hubs", "plans"} == set(own) < set(levels(found))
    assert {"ok"} == set(own.values())
    assert {"find_passages", "start_paths"} <= {one.query for one in found.costs}
    assert all(one.db_hits > 0 and one.milliseconds > 0 and not one.scans for one in found.costs)
    assert before == Graph(filled).store.counts()


def test_passages_that_the_model_does_not_read_whole_are_counted(filled):
    """By the limit of the model; other models have none."""

    class Short(FakeEmbedder):
        reads = 5

    (finding,) = (one for one in Doctor(Graph(filled), Short()).examine().findings if one.subject == "passages")

    assert ("ok", True) == (finding.level, "2 of 2 are longer than the embedding model reads (5" in finding.detail)


def test_an_index_that_was_dropped_is_a_problem(filled, embedder):
    """It is named, and the queries that need it are not run."""
    filled.execute("DROP INDEX gear_triple_embedding")

    found = Doctor(Graph(filled), embedder).examine()

    assert 1 == found.problems
    assert "gear_triple_embedding" in next(one.detail for one in found.findings if one.level == "problem")
    assert () == found.costs


def test_passages_without_an_extraction_are_reported_with_what_to_do(filled, embedder):
    """They are still waiting for an extraction."""
    filled.run(Query("unread", "MATCH (p:Passage {id: 'p1'}) REMOVE p.extractedAt, p.extractors", writes=True))

    contents = next(one for one in Doctor(Graph(filled), embedder).examine().findings if one.subject == "contents")

    assert ("advice", "gear ingest --extract rules") == (contents.level, contents.fix)
    assert "1 passage never read" in contents.detail


@pytest.mark.parametrize(
    ("settings", "level", "detail"),
    [
        (dict.fromkeys(LIMITS, "0B"), "advice", f"{', '.join(LIMITS)} are not set"),
        ({LIMITS[0]: "512.00MiB", LIMITS[1]: "680.00MiB", LIMITS[2]: "0s"}, "advice", f"{LIMITS[2]} is not set"),
        ({LIMITS[0]: "512.00MiB", LIMITS[1]: "680.00MiB", LIMITS[2]: "10m"}, "ok", f"{LIMITS[2]} 10m"),
        ({}, "ok", "does not report"),
    ],
)
def test_for_a_server_without_limits_the_missing_ones_are_named(settings, level, detail):
    """By their setting names; a server that does not show its settings is not a problem."""
    finding = about_limits(settings)

    assert level == finding.level
    assert detail in finding.detail
    assert (level == "advice") == ("operations.md" in finding.fix)


def test_hubs_are_counted_and_the_busiest_named(filled, embedder):
    """With the same limit as in a search."""
    found = Doctor(Graph(filled), embedder, beam=Beam(hub=1)).examine(questions=["Who won the prize?"])

    assert 1 == found.hubs
    assert (("Geoffrey Hinton", 2),) == found.busiest
    assert {1} == {one.runs for one in found.costs if one.query != "nearest_triples"}


def test_the_command_prints_what_was_found(empty, gear, folder, connection):
    """As tables or as JSON; with a problem, the exit code is 2."""
    assert one_line_of_problem(gear("doctor"))
    gear("ingest", folder)

    code, out, _ = gear("doctor")
    assert 0 == code
    assert f"complete, {len(expected_indexes(384))} indexes online" in out
    assert "start_paths" in out

    code, out, _ = gear("doctor", "Who won the prize?", "--hub", "1", "--json")
    told = json.loads(out)
    assert (0, 1, [["Geoffrey Hinton", 2]]) == (code, told["hubs"], told["busiest"])

    connection.execute("DROP INDEX gear_passage_text")
    assert one_line_of_problem(gear("doctor"))
    assert one_line(gear("doctor", "--hub", "0"), "--hub")


def one_line_of_problem(result):
    """Whether the findings were printed, followed by one line with the number of problems."""
    code, out, err = result
    return code == 2 and "✗" in out and "1 of 2 findings are problems" in err


def test_every_query_is_logged_by_name_without_its_values(filled, caplog):
    """Including one that the server refuses."""
    caplog.set_level(logging.DEBUG, logger=LOGGER.name)

    filled.call("passages_by_id", ids=["p1", "secret"])
    list(filled.stream("all_passages"))
    with pytest.raises(DatabaseError):
        filled.run(Query("broken", "RETURN nonsense"))

    told = [(one.query, one.rows, one.error) for one in caplog.records if one.name == LOGGER.name]
    assert [("passages_by_id", 1, None), ("all_passages", 2, None), ("broken", 0, "CypherSyntaxError")] == told
    assert not any("secret" in one.getMessage() for one in caplog.records if one.name == LOGGER.name)


def test_the_command_line_logs_queries_to_a_file(gear, folder, tmp_path):
    """One line of JSON each, appended; an unwritable file costs one line."""
    log = tmp_path / "queries.jsonl"
    gear("--log-queries", log, "ingest", folder)
    before = len(log.read_text().splitlines())

    gear("--log-queries", log, "search", "Who won the prize?", "--retriever", "naive")
    gear("search", "Who won the prize?", "--retriever", "naive")

    rows = [json.loads(line) for line in log.read_text().splitlines()[before:]]
    assert {"find_passages", "start_paths"} <= {row["query"] for row in rows}
    assert all(row["milliseconds"] > 0 and row["rows"] >= 0 and row["time"] for row in rows)
    assert 1 == sum(row["query"] == "start_paths" for row in rows)
    assert one_line(gear("--log-queries", tmp_path / "no" / "file", "status"), "--log-queries")


def test_a_log_of_a_test_ends_with_it():
    """The command line leaves no handler behind."""
    assert [] == LOGGER.handlers
