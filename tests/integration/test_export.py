"""``gear export``: after neo4j-admin imports the files, the database is the same as after an ingest."""

import json

import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j.cli.main import main
from gear_neo4j.errors import ExitCode, InputError
from gear_neo4j.extraction.extractor import ChatExtractor
from gear_neo4j.extraction.rules import RuleExtractor
from gear_neo4j.extraction.run import Extraction
from gear_neo4j.gear.extractors import bulk_readers
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.ingestion.admin.export import AdminExport
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.chat import Chat

pytestmark = pytest.mark.one_server_line

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
        {"id": "p3", "title": "Marie Curie", "text": "She was born in Warsaw. In Paris she met Paul Langevin."},
    ],
    "triples": [
        {"id": "p1", "triples": [["Ada", "said", '"no"'], ["ADA", "met; or saw", "Bob\nthe builder"]]},
        {"id": "p2", "triples": [["Bob\nthe builder", "lives in", "東京"], ["Ada", "likes", "Ada"]]},
        {"id": "p2", "triples": [["Ada", "likes", "Ada"]]},
        {"id": "gone", "triples": [["Nobody", "says", "this"]]},
    ],
}

METADATA = [
    {"id": "bare"},
    {
        "id": "all",
        "metadata": {"year": 2020, "share": 0.1, "draft": True, "team": "red; or blue", "tags": ["a", " b "]},
    },
    {"id": "lists", "metadata": {"years": [1, -2], "shares": [0.5, 1e-300], "flags": [True, False], "größe": "ü 東京"}},
    {"id": "later", "metadata": {"first name": 'He said "no",\nthen left', "year": 1999, "empty": ""}},
    {"id": "few", "metadata": {"year": 1998}},
    {"id": "read", "metadata": {"share": 2.5}, "readers": ["user:ada", "group:legal"]},
    {"id": "last", "metadata": {"in no earlier passage": True}},
]


@pytest.fixture
def sources(tmp_path):
    """A data set with everything that CSV has to quote, a repeated id, a repeated triple, and an unknown passage."""
    folder = tmp_path / "sources"
    folder.mkdir()
    for name, rows in ROWS.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return files_to_ingest([folder])


def test_a_bulk_import_makes_what_an_ingest_and_its_extractions_make(database, embedder, sources, tmp_path, imported):
    """Every node, property, vector and edge; the schema is created afterwards, and then nothing is left to do."""
    problems = []
    facts = [["Marie Curie", "met", "Paul Langevin"], ["Paul LANGEVIN", "lived in", "Paris"]]
    chat = Chat(FakeListChatModel(responses=[json.dumps({"triples": facts})]))
    export = AdminExport(
        tmp_path / "the files",
        embedder,
        on_problem=problems.append,
        readers=bulk_readers("model", chat=lambda: chat),
    )
    report = export.run(sources)

    def fill(target):
        """The work left for each of the three."""
        written = Ingest(Graph(target), embedder).run(sources.passages, sources.triples)
        read = [Extraction(Graph(target), embedder, one).run() for one in (RuleExtractor(), ChatExtractor(chat))]
        return written.passages_written, written.triples_written, *(one.total for one in read)

    assert (3, 4, 1, 1) == fill(database)
    other = imported(tmp_path / "the files")
    prepare(other, model=embedder.name, dimension=embedder.dimension)

    assert (0, 0, 0, 0) == fill(other)
    assert (3, 1, 1, 1) == (report.passages, report.passages_extracted, report.problems, report.usage.calls)
    assert report.triples == 4 + report.triples_extracted
    assert report.triples_extracted > len(facts)
    assert ["names the passage 'gone', which is in no file"] == [one.reason for one in problems]
    assert database.run(GRAPH) == other.run(GRAPH)
    assert [{"store": {"id": "store", "embeddingModel": "fake", "dimension": 384}}] == other.run(STORE)


def test_metadata_and_readers_become_what_an_ingest_makes(database, embedder, tmp_path, imported):
    """Of every type, with columns that appear late; a missing field stays missing."""
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": "A.", **row}) + "\n" for row in METADATA))
    files = files_to_ingest([tmp_path / "a.jsonl"])
    problems = []
    report = AdminExport(tmp_path / "files", embedder, on_problem=problems.append).run(files)
    Ingest(Graph(database), embedder).run(files.passages, ())

    other = imported(tmp_path / "files")
    prepare(other, model=embedder.name, dimension=embedder.dimension)

    assert ([], len(METADATA)) == (problems, report.passages)
    assert database.run(GRAPH) == other.run(GRAPH)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"year": 2020}, {"year": "old"}], "'year' is a string, but a long in an earlier passage"),
        ([{"year": 2020}, {"year": 2020.5}], "'year' is a double, but a long in an earlier passage"),
        ([{"year": 2020}, {"year": [2020]}], "'year' is a list, but a long in an earlier passage"),
        ([{"tags": ["a"]}, {"tags": "a"}], "'tags' is a string, but a string[] in an earlier passage"),
        ([{"size": 0.5}, {"size": 2**53 + 1}], "'size' is a long, but a double in an earlier passage"),
        ([{}, {"tags": ["a;b"]}], "'tags' is a list that is empty, or has a text that is empty or holds ';'"),
        ([{}, {"tags": []}], "'tags' is a list that is empty, or has a text that is empty or holds ';'"),
        ([{}, {"a:b": 1}], "'a:b' has a name that no column can have"),
    ],
)
def test_metadata_that_the_files_cannot_carry_is_reported(embedder, tmp_path, rows, reason):
    """The passage is exported without that field but with its other metadata."""
    file = tmp_path / "a.jsonl"
    lines = [{"id": f"p{number}", "text": "A.", "metadata": row | {"n": 1}} for number, row in enumerate(rows)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    problems = []

    report = AdminExport(tmp_path / "files", embedder, on_problem=problems.append).run(files_to_ingest([file]))

    assert [(2, f"the metadata field {reason}: left out; an ingest keeps it")] == [
        (problem.line, problem.reason) for problem in problems
    ]
    assert 2 == report.passages
    header = (tmp_path / "files" / "Passage-header.csv").read_text().strip().split(",")
    written = [line.split(",") for line in (tmp_path / "files" / "Passage.csv").read_text().splitlines()]
    assert ['"1"'] * 2 == [cells[header.index('"meta_n:long"')] for cells in written]


def test_triples_of_a_passage_that_is_left_out_are_reported(embedder, tmp_path):
    """The import would stop at a triple without its passage."""
    rows = [{"id": "p1", "text": "A.", "readers": ["a;b"]}, {"id": "p2", "text": "B."}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "triples.jsonl").write_text(json.dumps({"id": "p1", "triples": [["a", "b", "c"]]}))
    problems = []

    files = files_to_ingest([tmp_path / "corpus.jsonl"], [tmp_path / "triples.jsonl"])
    report = AdminExport(tmp_path / "files", embedder, on_problem=problems.append).run(files)

    assert (1, 0, 2) == (report.passages, report.triples, report.problems)
    assert problems[-1].reason == "names the passage 'p1', which is in no file"


def test_an_entity_has_the_name_that_an_ingest_would_choose(embedder, tmp_path):
    """Chosen from the spellings in all batches, not only the first."""
    rows = [{"id": f"p{number}", "text": f"{number}"} for number in range(600)]
    facts = [{"id": f"p{number}", "triples": [["NASA", "flew", f"{number}"]]} for number in range(599)]
    facts.append({"id": "p599", "triples": [["nasa", "flew", "Nasa"]]})
    for name, some in (("corpus", rows), ("triples", facts)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))

    report = AdminExport(tmp_path / "files", embedder).run(files_to_ingest([tmp_path]))

    entities = (tmp_path / "files" / "Entity.csv").read_text().splitlines()[1:]
    assert 600 == report.entities == len(entities)
    assert '"nasa","Nasa"' in entities


def test_a_folder_that_holds_something_is_left_alone(embedder, sources, tmp_path):
    """Its files are neither overwritten nor mixed with ours."""
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(InputError, match="not empty"):
        AdminExport(tmp_path, embedder).run(sources)
    with pytest.raises(InputError, match="cannot be written"):
        AdminExport(tmp_path / "mine.txt", embedder).run(sources)

    assert ["home", "mine.txt", "sources"][1:] == sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize("ray", [(), ("--ray", "local")])
def test_the_command_refuses_such_a_folder_before_anything_starts(tmp_path, monkeypatch, capsys, ray):
    """Starting a cluster or a model would take seconds."""
    (tmp_path / "mine.txt").write_text("The Elbe rises in Bohemia.")
    for name in ("documents.Cluster.crew", "export.open_embedder"):
        monkeypatch.setattr(f"gear_neo4j.cli.{name}", lambda *_, **__: pytest.fail("started"))

    with pytest.raises(SystemExit) as ended:
        main(["export", str(tmp_path / "mine.txt"), "--admin-import", str(tmp_path), *ray])

    assert ExitCode.ERROR == ended.value.code
    assert f"{tmp_path} is not empty: name a new folder" in " ".join(capsys.readouterr().err.split())
