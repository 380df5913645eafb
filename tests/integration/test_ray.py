"""An ingest on Ray: the graph is that of one process, even if workers are killed, and errors reach the caller."""

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j import Gear, Settings
from gear_neo4j.errors import ModelError, SettingsError
from gear_neo4j.gear.extractors import bulk_readers
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.ingestion.admin.export import AdminExport
from gear_neo4j.ingestion.reading import read_passages
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.integrations import ray as on_ray
from gear_neo4j.integrations.ray.cluster import require_answer
from gear_neo4j.integrations.ray.pieces import unpacked
from gear_neo4j.integrations.ray.stages import Job, read_passage_rows
from tests.conftest import renew
from tests.dump import dump_of
from tests.fake_embedder import FakeEmbedder
from tests.scripted_server import ScriptedServer

# Ray Data's own settings warn about each other when created, and so do its pools with few inputs.
pytestmark = [
    pytest.mark.one_server_line,
    pytest.mark.filterwarnings("ignore:.use_:DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore:The minimum number of concurrent actors:UserWarning"),
]
PEOPLE = ("Ada Lovelace", "Charles Babbage", "Marie Curie", "Pierre Curie")
CREW = on_ray.Crew(workers=2, writers=2)
# Each process takes seconds to start; for tests that do not depend on their number.
ALONE = on_ray.Crew(workers=1, writers=1)


class Broken(FakeEmbedder):
    """Returns no vectors."""

    def embed(self, texts):
        """Raises an error that an embedding server might cause."""
        raise ModelError("no vectors today")


@pytest.fixture(scope="module")
def cluster():
    """Ray with two cores, for all tests here."""
    with on_ray.cluster(cores=2):
        yield


@pytest.fixture
def sources(tmp_path):
    """Documents, JSONL with metadata and readers, triples of some of it, and an invalid line."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number, name in enumerate(PEOPLE):
        (folder / f"{number}.md").write_text(f"# {name}\n{name} met {PEOPLE[number - 1]} in London.\n" * 30)
    rows = [
        {"id": f"p{number}", "title": f"{number}", "text": f"{PEOPLE[number % 4]} wrote to the Royal Society {number}."}
        for number in range(120)
    ]
    rows[7] |= {"metadata": {"year": 1843}, "readers": ["user:ada"]}
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "no JSON\n")
    facts = [{"id": f"p{number}", "triples": [["Ada", f"met {number}", "ADA LOVELACE"]]} for number in range(40)]
    facts.append({"id": "absent", "triples": [["Ada", "met", "nobody"]]})
    (tmp_path / "triples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in facts))
    return {"sources": [folder, tmp_path / "corpus.jsonl"], "triples": [tmp_path / "triples.jsonl"]}


def scripted(messages):
    """One triple per passage, from its words."""
    words = str(messages[-1]["content"]).split()
    return json.dumps({"triples": [[words[-3], "is near", words[-1]]]})


def kill(stage):
    """Kill the Ray processes that run a stage; returns their number."""
    killed = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            title = (process / "cmdline").read_text()
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            grandparent = (Path("/proc") / parent / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if f"Map({stage})" in title and grandparent == str(os.getpid()):
            os.kill(int(process.name), signal.SIGKILL)
            killed += 1
    return killed


def difference(graph, other):
    """The differences between two dumps."""
    return [item for part in graph for item in Counter(graph[part]) - Counter(other[part])] + [
        item for part in graph for item in Counter(other[part]) - Counter(graph[part])
    ]


def settings_of(server, **options):
    return Settings(
        uri=server.uri, username=server.username, password=server.password, database=server.database, **options
    )


def test_the_graph_is_that_of_one_process(cluster, server, database, prepared, embedder, sources):
    """From documents, JSONL and triples, with rules; the problems are the same, and a second run writes nothing."""
    expected, found = [], []
    with Gear.connect(settings_of(server), embedder=embedder) as gear:
        one = gear.ingest(**sources, on_problem=lambda problem: expected.append(str(problem)))
    graph = dump_of(database)
    renew(database, prepared, model=embedder.name, dimension=embedder.dimension)

    options = {"settings": settings_of(server), "embedder": embedder, "crew": CREW}
    report = on_ray.ingest(**sources, **options, on_problem=lambda problem: found.append(str(problem)))

    assert [] == difference(graph, dump_of(database))
    assert one == report
    assert 2 == len(expected)
    assert expected == found


def test_workers_that_are_killed_leave_the_graph_as_it_is(cluster, server, database, prepared, embedder, sources):
    """Workers of every stage of an extraction by a model, once they have written something."""
    with ScriptedServer(scripted, fault=lambda *_: None) as model:
        chat = {"chat_model": "any", "openai_base_url": model.url, "openai_api_key": "none", "chat_cache": False}
        settings = settings_of(server, **chat)
        with Gear.connect(settings, embedder=embedder) as gear:
            gear.ingest(**sources)
            gear.corpus.extract()
            graph = dump_of(database)
            renew(database, prepared, model=embedder.name, dimension=embedder.dimension)
            gear.ingest(**sources)

        killed = []

        def on_progress(report):
            if report.done and not killed:
                killed.extend(kill(stage) for stage in ("Extract", "Embed", "Write"))

        report = on_ray.extract(settings=settings, embedder=embedder, crew=CREW, on_progress=on_progress)

    assert all(killed)
    assert report.total == report.done
    assert [] == difference(graph, dump_of(database))


def test_an_error_of_a_worker_reaches_the_caller(cluster, server, database, embedder, sources):
    """Unchanged; a model that extracts nothing ends the run, and nothing is recorded."""
    with ScriptedServer(lambda _: "I would rather not.") as model:
        chat = {"chat_model": "any", "openai_base_url": model.url, "openai_api_key": "none", "chat_cache": False}
        settings = settings_of(server, **chat)
        with Gear.connect(settings, embedder=embedder) as gear:
            gear.ingest(**sources, extract=False)
            graph = dump_of(database)

            with pytest.raises(ModelError, match="gave no triple for any of the first 10 passages"):
                on_ray.extract(settings=settings, embedder=embedder, crew=ALONE)

    assert [] == difference(graph, dump_of(database))


def test_rows_of_a_dataset_are_read_like_files(sources, tmp_path):
    """Documents with their bytes, and passages with the fields of a line; the ids are the same as from files."""
    folder, corpus = sources["sources"]
    documents = sorted(folder.iterdir())
    columns = {"metadata": None, "readers": None}
    lines = [columns | json.loads(line) for line in corpus.read_text().splitlines()[:20]]
    given = [{"path": path.as_posix(), "bytes": path.read_bytes()} for path in documents]

    rows = [*read_passage_rows(pa.Table.from_pylist(given), Job(settings=Settings()))]
    rows += read_passage_rows(pa.Table.from_pylist(lines), Job(settings=Settings()))

    read = [passage for row in rows for batch in unpacked(row).batches for passage in batch.passages]
    files = [passage for batch in read_passages([*documents, corpus]) for passage in batch.passages]
    assert [(one.id, one.text, one.readers) for one in files[: len(read)]] == [
        (one.id, one.text, one.readers) for one in read
    ]
    assert {"year": 1843} == read[len(documents) + 7].metadata


def test_an_export_in_parts_is_imported_as_an_ingest_writes(
    cluster, server, database, embedder, sources, imported, tmp_path
):
    """Every node, property and edge; the problems are those of one process, and no other file is left in the folder."""
    options = {"embedder": embedder, "folder": tmp_path / "parts"}
    with (tmp_path / "triples.jsonl").open("a") as file:
        # A repeated triple, and spellings that occur in several parts.
        file.write(json.dumps({"id": "p3", "triples": [["Ada", "met 3", "ADA LOVELACE"], ["X", "is", "Ada Lovelace"]]}))
    alone, found = [], []
    readers = bulk_readers("rules", chat=FakeListChatModel)
    one = AdminExport(tmp_path / "one", embedder, on_problem=alone.append, readers=readers).run(
        files_to_ingest(sources["sources"], sources["triples"])
    )

    report = on_ray.export(**sources, **options, crew=CREW, parts=5, on_problem=found.append)

    assert one == report
    assert Counter(map(str, alone)) == Counter(map(str, found))
    parts = {path.name for path in options["folder"].iterdir() if path.name.startswith("part-")}
    assert {"part-00000", "part-00004"} <= parts
    assert {"__GearStore.csv", "import.args"} == {path.name for path in options["folder"].glob("[!pe]*")}
    assert not list(options["folder"].rglob("spellings-*"))
    with Gear.connect(settings_of(server), embedder=embedder) as gear:
        gear.ingest(**sources)
    other = imported(options["folder"])
    prepare(other, model=embedder.name, dimension=embedder.dimension)
    assert [] == difference(dump_of(database), dump_of(other))


def test_an_export_extracts_by_the_model(cluster, server, embedder, sources, tmp_path):
    """One call for each passage without a triple in the files."""
    with ScriptedServer(scripted) as model:
        chat = {"chat_model": "any", "openai_base_url": model.url, "openai_api_key": "none", "home": tmp_path / "home"}
        options = {"settings": settings_of(server, **chat), "embedder": embedder, "crew": ALONE}
        report = on_ray.export(**sources, folder=tmp_path / "out", extract="model", **options)

    assert report.passages - 40 == report.passages_extracted == report.usage.calls == len(model.requests)
    assert (0, 0) == (report.unread, report.usage.cached)


def test_an_export_that_fails_leaves_an_empty_folder(cluster, sources, tmp_path):
    """Whatever the workers have written; their error reaches the caller."""
    with pytest.raises(ModelError, match="no vectors today"):
        on_ray.export(**sources, folder=tmp_path / "out", crew=ALONE, embedder=Broken())

    assert [] == list((tmp_path / "out").iterdir())


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--ray", "local", "--replace"), "--replace is for one process: leave out --ray"),
        (("--ray", "local", "--extract", "model", "--max-tokens", "9"), "--max-tokens is for one process"),
        (("--workers", "2"), "--workers is for Ray: add --ray local"),
    ],
)
def test_what_only_one_process_can_do_is_refused_beside_ray(gear, folder, options, line):
    """In one line, before anything starts."""
    code, _, err = gear("ingest", folder, *options)

    assert (2, True) == (code, line in err)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:x"])
def test_an_address_without_ray_is_refused_at_once(address):
    """Ray would retry for many minutes."""
    with pytest.raises(SettingsError, match=f"no Ray answers at '{address}'"):
        require_answer(address)


def test_a_command_exports_on_ray(cluster, gear, folder, tmp_path_factory):
    """Its last lines name the files."""
    target = tmp_path_factory.mktemp("files")
    options = ("--triples", folder / "triples.jsonl", "--ray", "local", "--workers", "1")
    code, out, _ = gear("export", folder / "corpus.jsonl", "--admin-import", target, *options)

    assert 0 == code
    assert out.startswith("2 passages, 2 triples, 3 entities")
    assert (target / "import.args").is_file()


def test_a_command_ingests_on_ray(cluster, gear, folder):
    """With the embedding model of the settings, which each process opens; it prints only JSON."""
    options = ("--extract", "none", "--ray", "local", "--workers", "1", "--json")
    code, out, _ = gear("ingest", folder / "corpus.jsonl", *options)

    assert (0, 2) == (code, json.loads(out)["database"]["passages"])
