"""The command line as a fixture, and a server filled by neo4j-admin."""

import json

import pytest

from benchmarks.bulk import run_import
from gear_neo4j.cli.main import main
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.models.embeddings import DEFAULT_MODEL
from gear_neo4j.server import local
from gear_neo4j.server.server_folder import ServerFolder
from gear_neo4j.settings import Settings
from tests.commands import CORPUS, QUERIES, TRIPLES
from tests.conftest import renew


@pytest.fixture
def folder(tmp_path):
    """A data set of two passages and one question."""
    for name, rows in (("corpus", CORPUS), ("triples", TRIPLES), ("queries", QUERIES)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.fixture
def gear(server, connection, prepared, request, monkeypatch, capsys, home):
    """Run a command against the tests' server, empty at first; returns exit code, output and error output."""
    if "empty" not in request.fixturenames:
        renew(connection, prepared, model=DEFAULT_MODEL, dimension=384)
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


@pytest.fixture
def imported(tmp_path):
    """Imports a folder of files into a new local server, and connects to it."""
    home, name, version = tmp_path / "home", "imported", Settings.load().neo4j_version
    opened = []

    def run(folder):
        # Before the first start, as neo4j-admin's manual says.
        folder_path = ServerFolder.of(name, home=home).path
        (folder_path / "neo4j").mkdir(parents=True)
        done = run_import(folder_path, folder, version=version, heap="512m")
        assert 0 == done.returncode, done.stdout + done.stderr
        server = local.start(name=name, home=home, version=version)
        opened.append(Database.connect(server.uri, username=server.username, password=server.password))
        return opened[-1]

    yield run
    for database in opened:
        database.close()
    local.stop(name=name, home=home)
