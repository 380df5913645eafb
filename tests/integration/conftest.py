"""The command line as a fixture: a user's commands against the tests' server."""

import json

import pytest

from gear_neo4j.cli.main import main
from gear_neo4j.models.embeddings import DEFAULT_MODEL
from tests.commands import CORPUS, QUERIES, TRIPLES
from tests.conftest import renew


@pytest.fixture
def folder(tmp_path):
    """A data set of two passages and one question."""
    for name, rows in (("corpus", CORPUS), ("triples", TRIPLES), ("queries", QUERIES)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.fixture
def gear(server, connection, prepared, request, monkeypatch, capsys, tmp_path_factory):
    """Run a command against the tests' server, without data there; returns exit code, output and error output."""
    if "empty" not in request.fixturenames:
        renew(connection, prepared, model=DEFAULT_MODEL, dimension=384)
    monkeypatch.setenv("GEAR_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("NEO4J_URI", server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run
