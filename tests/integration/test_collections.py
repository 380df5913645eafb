"""Collections, readers and metadata in a database: written, changed, dropped, migrated from older versions."""

import json
import threading

import pytest

from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import NothingFound, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema import migrations
from gear_neo4j.ingestion import writing
from gear_neo4j.ingestion.writing import write_passages, write_triples
from tests.fake_embedder import FakeEmbedder
from tests.graphs import opened

EMBEDDER = FakeEmbedder()
STAMPS = Query(
    "stamps",
    "MATCH (p:Passage) RETURN p.id AS id, p.collection AS collection, p.readers AS readers, "
    "COLLECT { MATCH (p)<-[:FROM]-(t) RETURN [t.collection, t.readers] } AS triples ORDER BY id",
)
UNSTAMP = Query("unstamp", "MATCH (n) WHERE n:Passage OR n:Triple REMOVE n.collection, n.readers", writes=True)
UNMIGRATE = Query("unmigrate", "MATCH (m:__Neo4jMigration) WHERE m.version >= '006' DETACH DELETE m", writes=True)


def lines(file, *rows):
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.fixture
def gear(server, database):
    """A Gear over an empty database."""
    with opened(server, EMBEDDER) as gear:
        yield gear


def found(gear, question="harbour", **scope):
    """The ids of the passages that a search returns."""
    view = gear.scoped(**scope) if scope else gear
    return sorted(hit.passage.id for hit in view.search(question, retriever="naive", k=20))


def agrees(database):
    """Whether every triple has the collection and the readers of its passage."""
    rows = database.run(STAMPS)
    return rows and all([row["collection"], row["readers"]] == triple for row in rows for triple in row["triples"])


def test_one_id_can_stand_for_a_passage_in_each_collection(gear, database, tmp_path):
    """Ids begin with the collection's name, except in the default one; triples find their passages by them."""
    corpus = lines(tmp_path / "corpus.jsonl", {"id": "p1", "text": "Ada built the harbour."})
    facts = lines(tmp_path / "triples.jsonl", {"id": "p1", "triples": [["Ada", "built", "the harbour"]]})
    for collection in ("default", "legal", "hr"):
        report = gear.ingest([corpus], triples=[facts], collection=collection)
        assert (1, 1, 0) == (report.passages_written, report.triples_written, report.problems)

    assert ["hr/p1", "legal/p1", "p1"] == found(gear)
    assert ["legal/p1"] == found(gear, collections=["legal"])
    assert [("default", 1, 1, 0), ("hr", 1, 1, 0), ("legal", 1, 1, 0)] == [
        (held.name, held.passages, held.triples, held.restricted) for held in gear.corpus.collections()
    ]
    assert agrees(database)


def test_metadata_come_with_each_hit_and_are_filtered(gear, tmp_path):
    """Texts, numbers, truth values and lists of them; a changed line changes only them."""
    rows = [
        {"id": "old", "text": "The harbour of 1999.", "metadata": {"year": 1999, "tags": ["a", "b"], "draft": False}},
        {"id": "new", "text": "The harbour of 2024.", "metadata": {"year": 2024, "size": 1.5, "nothing": None}},
    ]
    gear.ingest([lines(tmp_path / "corpus.jsonl", *rows)])
    rows[0]["metadata"] = {"year": 2000, "tags": ["c"]}
    again = gear.ingest([lines(tmp_path / "corpus.jsonl", *rows)])
    hits = {hit.passage.id: hit.passage.metadata for hit in gear.search("harbour", retriever="naive")}

    assert (0, 0) == (again.passages_written, again.passages_replaced)
    assert {"old": {"year": 2000, "tags": ["c"]}, "new": {"year": 2024, "size": 1.5}} == hits
    assert ["old"] == found(gear, where="year < 2010")
    assert ["old"] == found(gear, where="tags = 'c' and not draft exists")
    assert ["new"] == found(gear, where={"source": f"{tmp_path.name}/corpus.jsonl", "size": {"gte": 1}})


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (3, '"metadata" is not an object but 3'),
        ({"a": {"b": 1}}, """field 'a' is {"b": 1}: give a text"""),
        ({"a": [1, "x"]}, "field 'a' is a list of different kinds"),
        ({"": 1}, "whose name is blank"),
        ({"a": 10**30}, "field 'a' is 1000000000"),
        ({f"f{number}": 1 for number in range(201)}, "more than 200 fields"),
    ],
)
def test_metadata_that_cannot_be_kept_are_a_problem_of_their_line(gear, tmp_path, metadata, message):
    """The other lines are ingested."""
    problems = []
    rows = [{"id": "bad", "text": "x", "metadata": metadata}, {"id": "good", "text": "The harbour."}]
    gear.ingest([lines(tmp_path / "corpus.jsonl", *rows)], on_problem=problems.append)

    assert ["good"] == found(gear)
    assert [True] == [message in problem.reason for problem in problems]


def test_readers_of_a_line_go_before_those_of_the_ingest(gear, database, tmp_path):
    """An empty list means everybody."""
    rows = [
        {"id": "own", "text": "Ada built the harbour.", "readers": ["user:ada"]},
        {"id": "all", "text": "Bo left the harbour.", "readers": []},
        {"id": "group", "text": "Cem saw the harbour."},
    ]
    gear.ingest([lines(tmp_path / "corpus.jsonl", *rows)], readers=["group:legal"])

    assert ["all"] == found(gear, principals=[])
    assert ["all", "own"] == found(gear, principals=["user:ada"])
    assert ["all", "group", "own"] == found(gear, principals=["user:ada", "group:legal"]) == found(gear)
    assert agrees(database)


def test_a_new_version_of_a_document_keeps_its_readers(gear, database, tmp_path):
    """New passages get them, too; more people may read it only if that is requested."""
    page = tmp_path / "harbour.md"
    page.write_text("# Harbour\n\nAda built the harbour.\n")
    gear.ingest([page], readers=["user:ada"])
    page.write_text("# Harbour\n\nAda built the harbour.\n\n# Pier\n\nBo built the pier of the harbour.\n")
    gear.ingest([page])

    assert [] == found(gear, principals=[])
    assert 2 == len(found(gear, principals=["user:ada"]))
    problems = []
    gear.ingest([page], readers=["user:bo"], on_problem=problems.append)
    assert [writing.KEPT_READERS] == [problem.reason for problem in problems]
    assert [] == found(gear, principals=["user:bo"])
    gear.ingest([page], readers=["user:bo"], widen=True)
    assert [] == found(gear, principals=["user:ada"])
    assert 2 == len(found(gear, principals=["user:bo"]))
    assert agrees(database)


def test_readers_are_changed_with_their_triples(gear, database, tmp_path):
    """At once in every open view; an unknown source is named."""
    page = tmp_path / "harbour.md"
    page.write_text("# Harbour\n\nAda built the harbour.\n")
    gear.ingest([page], collection="legal")
    nobody = gear.scoped(principals=[])
    assert 1 == len(nobody.search("harbour", retriever="naive"))

    assert 1 == gear.corpus.set_readers(page, ["user:ada"], collection="legal")
    assert not nobody.search("harbour", retriever="naive")
    assert not nobody.search("harbour", retriever="scout")
    assert agrees(database)
    with pytest.raises(NothingFound, match="is not in the collection 'default': it is in legal"):
        gear.corpus.set_readers(f"{tmp_path.name}/harbour.md", [])
    with pytest.raises(NothingFound, match="there is no collection 'hr': there are legal"):
        gear.corpus.set_readers("nosuch.md", [], collection="hr")
    assert 1 == gear.corpus.set_readers(page, [], collection="legal")
    assert 1 == len(nobody.search("harbour", retriever="naive"))


def test_a_triple_that_is_written_while_readers_change_has_the_new_ones(gear, database):
    """Whichever commits first: never old readers on a triple whose passage has new ones."""
    graph = Graph(database)
    passages = [Passage(f"p{number}", "", f"Ada {number}") for number in range(60)]
    write_passages(graph, passages, embedder=EMBEDDER)
    facts = [make_triple(passage.id, "Ada", "saw", str(number)) for number, passage in enumerate(passages)]

    def extract():
        for start in range(0, 60, 3):
            write_triples(graph, facts[start : start + 3], completed=[], embedder=EMBEDDER)

    def restrict():
        for start in range(0, 60, 4):
            graph.corpus.write_readers(
                {passage.id: ["user:ada"] for passage in passages[start : start + 4]}, widen=True
            )

    threads = [threading.Thread(target=work) for work in (extract, restrict)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    rows = database.run(STAMPS)
    assert 60 == len(rows)
    assert all([["default", ["user:ada"]]] == row["triples"] for row in rows)


def test_what_is_forgotten_is_forgotten_in_one_collection(gear, tmp_path):
    """The same document in another collection stays, also when it changes elsewhere."""
    page = tmp_path / "harbour.md"
    page.write_text("# Harbour\n\nAda built the harbour.\n")
    for collection in ("legal", "hr"):
        gear.ingest([page], collection=collection)
    page.write_text("# Harbour\n\nBo built the harbour.\n")
    changed = gear.ingest([page], collection="hr")

    assert (1, 1) == (changed.passages_written, changed.passages_removed)
    assert 1 == gear.corpus.forget(page, collection="hr", dry_run=True).passages
    assert 1 == gear.corpus.forget(page, collection="hr").passages
    assert [True] == [id.startswith("legal/") for id in found(gear)]


def test_a_collection_is_dropped_in_batches(gear, database, tmp_path, monkeypatch):
    """A dry run counts; an unknown one is refused with the names of the existing ones."""
    monkeypatch.setattr("gear_neo4j.ingestion.forgetting.PASSAGES_A_BATCH", 2)
    rows = [{"id": str(number), "text": f"Ada built harbour {number}."} for number in range(5)]
    for collection in ("legal", "hr"):
        gear.ingest([lines(tmp_path / "corpus.jsonl", *rows)], collection=collection)
    with pytest.raises(NothingFound, match="there is no collection 'law': there are hr, legal"):
        gear.corpus.drop("law")
    dry = gear.corpus.drop("hr", dry_run=True)
    steps = []
    removed = gear.corpus.drop("hr", on_progress=lambda progress: steps.append(progress.done))

    assert (5, [2, 4, 5]) == (removed.passages, steps)
    assert (dry.passages, dry.triples) == (removed.passages, removed.triples)
    assert ["legal"] == [held.name for held in gear.corpus.collections()]
    assert agrees(database)


@pytest.mark.parametrize(("collection", "readers"), [("a/b", None), ("", None), ("x", [" "]), ("x", ["a\n"])])
def test_a_name_that_cannot_be_used_is_refused_before_anything_is_written(gear, tmp_path, collection, readers):
    """In one line."""
    page = tmp_path / "a.txt"
    page.write_text("Ada built the harbour.")
    with pytest.raises(SettingsError):
        gear.ingest([page], collection=collection, readers=readers)

    assert 0 == gear.corpus.counts().passages


@pytest.mark.parametrize(
    "killed_after", [None, *(pytest.param(batches, marks=pytest.mark.one_server_line) for batches in range(3))]
)
def test_an_older_database_is_stamped_in_batches_and_searchable_meanwhile(
    gear, database, tmp_path, monkeypatch, killed_after
):
    """The next migration continues a killed one; nothing is lost, and no scope sees too much."""
    rows = [{"id": f"p{number}", "text": f"Ada built harbour {number}."} for number in range(5)]
    facts = [{"id": f"p{number}", "triples": [["Ada", "built", f"harbour {number}"]]} for number in range(5)]
    gear.ingest([lines(tmp_path / "corpus.jsonl", *rows)], triples=[lines(tmp_path / "triples.jsonl", *facts)])
    database.run(UNSTAMP)
    database.run(UNMIGRATE)
    database.execute("DROP INDEX gear_passage_collection")
    monkeypatch.setattr(migrations, "STAMPED_A_BATCH", 2)
    every = [f"p{number}" for number in range(5)]
    if killed_after is not None:
        calls = iter(range(100))

        def stamp(self, **batch):
            if next(calls) == killed_after:
                raise KeyboardInterrupt
            return stamped(self, **batch)

        stamped = migrations.Collections.stamp
        with monkeypatch.context() as patch:
            patch.setattr(migrations.Collections, "stamp", stamp)
            with pytest.raises(KeyboardInterrupt):
                migrations.migrate(database, dimension=EMBEDDER.dimension)
        assert every == found(gear)
        assert every[: 2 * killed_after] == found(gear, collections=["default"])

    applied = migrations.migrate(database, dimension=EMBEDDER.dimension)

    assert ["V006", "V007", "V008", "V009", "V010", "V011", "V012"] == [
        step.source.partition("__")[0] for step in applied
    ]
    assert every == found(gear) == found(gear, collections=["default"])
    assert agrees(database)
    assert () == migrations.migrate(database, dimension=EMBEDDER.dimension)
