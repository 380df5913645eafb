"""What scripts rely on, against a real database: exit codes, JSON in files, confirmation, and statistics."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from gear_neo4j.errors import ExitCode, NoLocalServer
from gear_neo4j.gear import Gear
from gear_neo4j.server import local
from gear_neo4j.settings import Settings
from tests.commands import one_line
from tests.dump import dump
from tests.loops import Script, scores_of
from tests.processes import GEAR, PIPE, started
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line


@pytest.fixture
def filled(gear, folder):
    """Two passages from one source in the tests' database."""
    assert 0 == gear("ingest", folder)[0]
    return folder


@pytest.fixture
def ask(gear, monkeypatch, tmp_path):
    """Ask a scripted model where the laureate wrote a thesis; returns exit code, output and error output."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "scripted")
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def run(*options, fault=None, **roles):
        with ScriptedServer(Script(**roles), fault=lambda *_: fault) as model:
            monkeypatch.setenv("OPENAI_BASE_URL", model.url)
            return gear("ask", "Where did Hinton write a thesis?", "--no-cache", *options)

    return run


def test_a_search_that_finds_nothing_ends_like_grep(gear, filled):
    """With exit code 1 and normal output: a line, or JSON without hits."""
    words = ("search", "zebra", "--retriever", "base", "--base", "fulltext")

    code, out, err = gear(*words)
    assert (ExitCode.NOTHING_FOUND, False) == (code, "gear: " in err)
    assert "no passage found" in out

    code, out, _ = gear(*words, "--json")
    assert (ExitCode.NOTHING_FOUND, []) == (code, json.loads(out)["hits"])
    assert ExitCode.DONE == gear("search", "Hinton", "--retriever", "base", "--base", "fulltext")[0]


def test_an_answer_that_is_not_found_ends_with_1_and_a_model_that_fails_with_4(filled, ask):
    """The retrieved passages are printed in both cases."""

    def grade(text):
        return scores_of(text.partition("\n\n")[2], lambda _: -0.9)

    assert ExitCode.DONE == ask("--agent", "paths", answer="Answer: Edinburgh [1].")[0]

    code, out, _ = ask("--agent", "crag", "--set", "evaluator=grader", grade=grade)
    assert (ExitCode.NOTHING_FOUND, True) == (code, "No answer." in out)

    code, out, err = ask("--agent", "paths", fault=401, answer="Answer: Edinburgh [1].")
    assert (ExitCode.PARTIAL, True) == (code, "Passages retrieved:" in out)
    assert "scripted to fail with 401" in err.splitlines()[-1]


def test_json_of_a_command_goes_to_a_file_beside_its_usual_output(gear, filled, tmp_path):
    """The same document as on standard output, with the flag before or after the question."""
    code, out, _ = gear("search", "--json", "Hinton", "--retriever", "naive")
    printed = json.loads(out)

    again, text, _ = gear("search", "Hinton", "--retriever", "naive", "--json", tmp_path / "hits.json")

    written = json.loads((tmp_path / "hits.json").read_text())
    assert (0, 0) == (code, again)
    assert printed["hits"] == written["hits"]
    assert "1st by the graph" in text


def test_evaluate_prints_json_alone_if_no_file_is_named(gear, folder):
    """Its table then goes to standard error; a file of any name is accepted."""
    code, out, err = gear("evaluate", folder, "--ks", "1,2", "--json")
    assert (0, {"1": 50.0, "2": 100.0}) == (code, json.loads(out)["recall"])
    assert "recall %" in err

    code, out, _ = gear("evaluate", folder, "--ks", "1,2", "--json", folder / "report")
    assert (0, True) == (code, "recall %" in out)
    assert {"1": 50.0, "2": 100.0} == json.loads((folder / "report").read_text())["recall"]


def test_a_dry_run_of_an_ingest_is_json_too(gear, folder):
    """Its counts, and the forecast if a model would read."""
    told = json.loads(gear("ingest", folder, "--dry-run", "--json")[1])
    assert (2, 2, None) == (told["ingest"]["passages_read"], told["ingest"]["triples_read"], told["forecast"])

    told = json.loads(gear("ingest", folder, "--dry-run", "--extract", "model", "--json")[1])
    assert 2 == told["forecast"]["passages"]


def test_statistics_of_an_empty_and_of_a_filled_database(empty, gear, folder):
    """Counts, schema, model; the size only for local servers."""
    told = json.loads(gear("stats", "--json")[1])
    assert (None, None, 0, 0) == (told["schema"], told["embedding_model"], told["documents"], told["sources"])
    assert told["pending"] > 0

    gear("ingest", folder)
    code, out, _ = gear("stats")
    told = json.loads(gear("stats", "--json")[1])

    assert (0, 2, 2, 3) == (code, told["passages"], told["triples"], told["entities"])
    assert (1, 1) == (told["sources"], told["documents"])
    assert (384, None, 0) == (told["dimension"], told["bytes"], told["pending"])
    assert ["passages         2", "unknown"] == [out.splitlines()[5].rstrip(), out.split()[-1]]


def terminal(server, *args, answer):
    """Run a command on a terminal; returns exit code, output, and the text that the terminal received."""
    ours, theirs = os.openpty()
    environment = os.environ | {
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
        "COLUMNS": "200",
    }
    with started([*GEAR, *args], stdin=theirs, stderr=theirs, stdout=PIPE, env=environment) as process:
        os.close(theirs)
        os.write(ours, answer)
        out, _ = process.communicate()
    shown = b""
    # Linux reports the end of a terminal as an error once its other side is closed.
    with suppress(OSError):
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    return process.returncode, out, shown.decode()


def test_on_a_terminal_a_removal_says_what_it_takes_and_asks(gear, filled, server, connection):
    """No keeps, yes removes; --yes skips the question; without a terminal nothing is asked."""
    before = dump(connection)
    source = json.loads(gear("search", "Hinton", "--json")[1])["hits"][0]["source"]

    code, out, shown = terminal(server, "forget", source, answer=b"n\n")
    assert (ExitCode.INTERRUPTED, "") == (code, out)
    assert f"2 passages, 2 triples, 3 entities of {source} in neo4j will be removed. Continue? [y/N]" in shown
    assert "gear: nothing was removed" in shown
    assert before == dump(connection)

    code, out, _ = terminal(server, "forget", source, answer=b"y\n")
    assert (0, "2 passages, 2 triples, 3 entities removed\n") == (code, out)

    assert 0 == gear("ingest", filled)[0]
    code, out, shown = terminal(server, "forget", source, "--yes", answer=b"")
    assert (0, "2 passages, 2 triples, 3 entities removed\n") == (code, out)
    assert "Continue?" not in shown

    assert 0 == gear("ingest", filled)[0]
    assert (0, "2 passages, 2 triples, 3 entities removed\n") == gear("forget", source)[:2]


def test_a_release_asks_too(empty, gear, server, connection, tmp_path):
    """With the counts of the overlay."""
    (tmp_path / "nodes.csv").write_text("id:ID,name,:LABEL\na,Ada,Person\nb,Bob,Person\n")
    (tmp_path / "ties.csv").write_text(":START_ID,:END_ID,:TYPE\na,b,KNEW\n")
    (tmp_path / "profile.toml").write_text('name = "people"\n[entities.Person]\nnames = ["name"]\n')
    assert 0 == gear("import", tmp_path / "nodes.csv", tmp_path / "ties.csv")[0]
    before = dump(connection)
    code, _, err = gear("adopt", "--profile", tmp_path / "profile.toml")
    assert 0 == code, err

    code, _, shown = terminal(server, "release", answer=b"n\n")
    assert (ExitCode.INTERRUPTED, True) == (code, "in neo4j will be removed. Continue? [y/N]" in shown)
    assert before != dump(connection)

    assert 0 == terminal(server, "release", answer=b"y\n")[0]
    assert before == dump(connection)


def test_a_server_is_created_only_if_that_is_wanted(tmp_path):
    """Gear.connect creates it unless told otherwise; an existing one is started in both cases."""
    settings = replace(Settings.load(), uri=None, home=tmp_path, name="mine")
    with pytest.raises(NoLocalServer, match="there is no local server 'mine'"):
        Gear.connect(settings, create=False)
    assert [] == list(Path(tmp_path).iterdir())

    try:
        with Gear.connect(settings) as gear:
            assert 0 == gear.corpus.stats().passages
        assert local.stop(name="mine", home=tmp_path)
        with Gear.connect(settings, create=False) as gear:
            assert gear.graph.name == "neo4j"
        with pytest.raises(NoLocalServer, match="choose one of mine with --name"):
            Gear.connect(replace(settings, name="mien"), create=False)
    finally:
        local.stop(name="mine", home=tmp_path)


def test_an_address_that_is_none_costs_one_line(gear, filled):
    """Including addresses that used to be reported as bugs."""
    for uri in ("http://localhost:7474", "bolt://", "bolt://localhost:70000"):
        result = gear("search", "x", "--uri", uri)
        assert one_line(result, "cannot be used")
        assert "secret" not in result[2]
    assert one_line(gear("search", "x", "--uri", ""), "--uri is empty")
