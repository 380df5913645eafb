"""A record of the source says who may read a document: it outlives passages, versions, moves and failures."""

import json
import os

import fsspec
import pytest

from gear_neo4j.errors import GearError, NothingFound
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema import migrations
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.writing import KEPT_READERS, KEPT_SOURCE
from tests.fake_embedder import FakeEmbedder
from tests.graphs import opened

pytestmark = pytest.mark.one_server_line

ADA, CEM = ["user:ada"], ["user:cem"]
TEXT = "The harbourmaster earns 90,000 a year.\n\n" * 40
READERS = Query(
    "readers",
    "MATCH (p:Passage) WHERE p.source ENDS WITH $name OPTIONAL MATCH (p)<-[:FROM]-(t:Triple) "
    "RETURN DISTINCT p.readers AS readers, t IS NULL OR coalesce(t.readers, []) = coalesce(p.readers, []) AS agrees",
    frozenset({"name"}),
)
UNMIGRATE = Query("unmigrate", "MATCH (m:__Neo4jMigration) WHERE m.version >= '010' DETACH DELETE m", writes=True)
UNRECORD = Query("unrecord", "MATCH (r:__GearReaders) DELETE r", frozenset(), writes=True)
OPEN_FIRST = Query(
    "open", "MATCH (p:Passage) WITH p ORDER BY p.id LIMIT 1 SET p.readers = null", frozenset(), writes=True
)


class Acting(FakeEmbedder):
    """An embedding model that triggers an action before it embeds."""

    def __init__(self):
        super().__init__()
        self.before = None

    def embed(self, texts):
        """The vectors of texts."""
        act, self.before = self.before, None
        if act and texts:
            act()
        return super().embed(texts)


@pytest.fixture
def embedder():
    """An embedding model during whose work something can happen."""
    return Acting()


@pytest.fixture
def gear(server, database, embedder):
    """A Gear over an empty database."""
    with opened(server, embedder) as gear:
        yield gear


@pytest.fixture
def docs(tmp_path):
    """A folder with one document."""
    folder = tmp_path / "docs"
    folder.mkdir()
    old(folder / "pay.txt", TEXT)
    return folder


def old(file, text, age=0):
    """A file that is not new."""
    file.write_text(text)
    os.utime(file, (1_700_000_000 + len(text) - age,) * 2)
    return file


def readers(gear, name):
    """The sets of readers of a document's passages and triples; None means everybody."""
    rows = gear.graph.database.run(READERS, name=name)
    assert all(row["agrees"] for row in rows)
    return sorted(row["readers"] or ["everybody"] for row in rows)


@pytest.mark.parametrize("first", ["ingest", "sync"])
def test_readers_follow_a_document_that_moves(gear, docs, first):
    """Also to passages that are written again, because their title comes from the file name."""
    (gear.ingest if first == "ingest" else gear.corpus.sync)([docs])
    gear.corpus.set_readers(docs / "pay.txt", ADA)
    (docs / "pay.txt").rename(docs / "pay-2024.txt")
    report = gear.corpus.sync([docs])

    assert 1 == report.moved
    assert [ADA] == readers(gear, "pay-2024.txt")


@pytest.mark.parametrize("first", ["ingest", "sync"])
@pytest.mark.parametrize("then", ["ingest", "sync"])
def test_readers_that_an_ingest_or_a_sync_gave_follow_a_document_that_moves(gear, docs, first, then):
    """The command that comes afterwards gives none. What an ingest leaves under the old name is restricted, too."""
    commands = {"ingest": gear.ingest, "sync": gear.corpus.sync}
    commands[first]([docs], readers=ADA)
    (docs / "pay.txt").rename(docs / "pay-2024.txt")
    commands[then]([docs])

    assert [ADA] == readers(gear, "pay-2024.txt")
    assert ([ADA] if then == "ingest" else []) == readers(gear, "pay.txt")


@pytest.mark.parametrize("first", ["ingest", "sync"])
def test_readers_follow_a_document_out_of_a_folder_that_was_read_by_itself(gear, docs, first):
    """The folder around it is read afterwards."""
    (docs / "hr").mkdir()
    (docs / "pay.txt").rename(docs / "hr" / "pay.txt")
    old(docs / "news.txt", "The harbour opens in May.")
    gear.corpus.sync([docs])
    (gear.ingest if first == "ingest" else gear.corpus.sync)([docs / "hr"], readers=ADA)
    (docs / "hr" / "pay.txt").rename(docs / "pay.txt")
    report = gear.corpus.sync([docs])

    assert (1, 0) == (report.moved, report.deleted)
    assert ([ADA], []) == (readers(gear, "pay.txt"), readers(gear, "hr/pay.txt"))


def test_readers_follow_a_document_out_of_a_folder_of_an_address(gear):
    """The folder was synced by itself, and the address around it afterwards."""
    memory = fsspec.filesystem("memory")
    memory.pipe("/store/hr/pay.txt", TEXT.encode())
    memory.pipe("/store/news.txt", b"The harbour opens in May.")
    try:
        gear.corpus.sync(["memory://store/hr"], readers=ADA)
        memory.mv("/store/hr/pay.txt", "/store/pay.txt")
        report = gear.corpus.sync(["memory://store"])
    finally:
        memory.rm("/store", recursive=True)

    assert (1, 1, 0) == (report.moved, report.new, report.deleted)
    assert ([ADA], []) == (readers(gear, "store/pay.txt"), readers(gear, "hr/pay.txt"))


@pytest.mark.parametrize("given", [None, CEM])
def test_readers_follow_a_document_that_leaves_its_name_to_another_text(gear, docs, given):
    """Whether or not the sync gives readers: others, who would see what they may not, are not let in."""
    gear.corpus.sync([docs], readers=ADA)
    (docs / "pay.txt").rename(docs / "notes.txt")
    old(docs / "pay.txt", "The harbour opens in May.")
    report = gear.corpus.sync([docs], readers=given)

    assert (1, 1) == (report.moved, report.new)
    assert ([ADA], [ADA]) == (readers(gear, "notes.txt"), readers(gear, "pay.txt"))


def test_readers_follow_a_document_that_moves_after_a_sync_broke_off(gear, docs, embedder):
    """The sync had recorded what it was about to write."""
    gear.corpus.sync([docs])
    gear.corpus.set_readers(docs / "pay.txt", ADA)
    old(docs / "pay.txt", TEXT + "New.")

    def fails():
        raise GearError("the model of embeddings failed")

    embedder.before = fails
    with pytest.raises(GearError, match="embeddings failed"):
        gear.corpus.sync([docs])
    (docs / "pay.txt").rename(docs / "pay-2024.txt")
    gear.corpus.sync([docs])

    assert ([ADA], []) == (readers(gear, "pay-2024.txt"), readers(gear, "pay.txt"))


def test_documents_that_exchange_names_exchange_readers(gear, docs):
    """The other document is still for everybody."""
    old(docs / "news.txt", "The harbour opens in May.\n\n" * 40)
    gear.corpus.sync([docs])
    gear.corpus.set_readers(docs / "pay.txt", ADA)
    for name, target in (("pay.txt", "x"), ("news.txt", "pay.txt"), ("x", "news.txt")):
        (docs / name).rename(docs / target)
    report = gear.corpus.sync([docs])

    assert 2 == report.moved
    assert ([ADA], [["everybody"]]) == (readers(gear, "news.txt"), readers(gear, "pay.txt"))


@pytest.mark.parametrize("way", ["broken", "gone", "forgotten", "dropped"])
def test_readers_survive_the_passages(gear, docs, way):
    """Whatever deleted them: a document that comes back under the name has the same readers."""
    gear.corpus.sync([docs])
    gear.corpus.set_readers(docs / "pay.txt", ADA)
    if way == "broken":
        old(docs / "pay.txt", " \n")
        gear.corpus.sync([docs])
    elif way == "gone":
        (docs / "pay.txt").unlink()
        gear.corpus.sync([docs])
    elif way == "forgotten":
        gear.corpus.forget(docs / "pay.txt")
    else:
        gear.corpus.drop("default")
    assert [] == readers(gear, "pay.txt")
    old(docs / "pay.txt", TEXT + "New.")
    gear.corpus.sync([docs])

    assert [ADA] == readers(gear, "pay.txt")


def test_a_conversion_that_fails_once_takes_nothing(gear, docs):
    """The document is named, keeps its passages, and is read again by the next sync."""
    gear.corpus.sync([docs])
    gear.corpus.set_readers(docs / "pay.txt", ADA)
    old(docs / "pay.txt", TEXT + "New.")
    problems = []
    slow = gear.corpus.sync([docs], limits=Limits(seconds=0.01), on_problem=problems.append)
    assert (1, 0, [ADA]) == (slow.problems, slow.passages_removed, readers(gear, "pay.txt"))
    assert "takes longer than" in problems[0].reason

    again = gear.corpus.sync([docs])
    assert (1, 0, [ADA]) == (again.changed, again.problems, readers(gear, "pay.txt"))


@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_readers_given_to_what_cannot_be_read_yet_are_its_readers(gear, docs, command):
    """Even if a later run without readers reads it."""
    write = gear.ingest if command == "ingest" else gear.corpus.sync
    write([docs], readers=ADA, limits=Limits(seconds=0.01))
    assert [] == readers(gear, "pay.txt")
    write([docs])

    assert [ADA] == readers(gear, "pay.txt")


def test_readers_that_change_while_a_version_is_embedded_are_its_readers(gear, docs, embedder):
    """The transaction that writes reads the record."""
    gear.ingest([docs])
    old(docs / "pay.txt", TEXT.replace("90", "95"))
    embedder.before = lambda: gear.corpus.set_readers(docs / "pay.txt", ADA)
    gear.ingest([docs])

    assert [ADA] == readers(gear, "pay.txt")


def test_a_version_that_fails_in_its_middle_leaves_the_readers(gear, docs, embedder):
    """For a document with exactly as many passages as a batch holds."""
    parts = "".join(f"# Part {number}\n\nThe harbourmaster earns {number}.\n\n" for number in range(256))
    page = old(docs / "long.md", parts)
    gear.ingest([page])
    gear.corpus.set_readers(page, ADA)
    old(page, parts.replace("earns", "earned"))

    def fails():
        raise GearError("the model of embeddings failed")

    embedder.before = fails
    with pytest.raises(GearError, match="embeddings failed"):
        gear.ingest([page])
    gear.ingest([page])

    assert [ADA] == readers(gear, "long.md")


def test_a_line_that_names_a_document_opens_nothing(gear, docs, tmp_path):
    """Neither the document, nor the line itself if the document has readers."""
    line = {"id": "x", "text": "harmless", "source": "docs/pay.txt"}
    (tmp_path / "x.jsonl").write_text(json.dumps(line) + "\n")
    gear.ingest([tmp_path / "x.jsonl"])
    gear.ingest([docs], readers=ADA)
    old(docs / "pay.txt", TEXT.replace("90", "95"))
    gear.ingest([docs])
    assert 1 == len(gear.scoped(principals=[]).search("harbourmaster", retriever="naive", k=100))

    gear.corpus.forget("docs/pay.txt")
    gear.ingest([tmp_path / "x.jsonl"])
    assert [ADA] == readers(gear, "pay.txt")


@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_more_readers_need_to_be_allowed(gear, docs, command):
    """Fewer readers do not; a document that keeps its readers is reported."""
    write = gear.ingest if command == "ingest" else gear.corpus.sync
    write([docs], readers=["user:ada", "user:bo"])
    write([docs], readers=ADA)
    assert [ADA] == readers(gear, "pay.txt")
    problems = []
    old(docs / "pay.txt", TEXT + "New.")
    write([docs], readers=["user:ada", "user:bo"], on_problem=problems.append)
    assert [ADA] == readers(gear, "pay.txt")
    expected = [("docs", KEPT_SOURCE), ("docs/pay.txt", KEPT_READERS)]
    assert expected == [(problem.file, problem.reason) for problem in problems]
    old(docs / "pay.txt", TEXT + "Newer.")
    write([docs], readers=["user:ada", "user:bo"], widen=True)

    assert [["user:ada", "user:bo"]] == readers(gear, "pay.txt")


@pytest.mark.parametrize("replace", [False, True])
def test_a_line_opens_a_stored_passage_only_where_that_is_allowed(gear, tmp_path, replace):
    """Whether its text has changed or not."""
    corpus = tmp_path / "c.jsonl"
    for text, names in (("One.", ["user:ada"]), ("Two." if replace else "One.", [])):
        corpus.write_text(json.dumps({"id": "p", "text": text, "readers": names}) + "\n")
        gear.ingest([corpus], replace=replace)
    assert [ADA] == readers(gear, "c.jsonl")
    gear.ingest([corpus], replace=replace, widen=True)

    assert [["everybody"]] == readers(gear, "c.jsonl")


def test_readers_can_be_set_before_a_document_comes(gear, docs):
    """Until then they are listed; an unknown document cannot be opened to everybody, because it already is."""
    gear.corpus.prepare()
    assert 0 == gear.corpus.set_readers("docs/pay.txt", ADA)
    assert [("docs/pay.txt", 0)] == [(record.source, record.passages) for record in gear.corpus.readers()]
    with pytest.raises(NothingFound):
        gear.corpus.set_readers("docs/nosuch.txt", [])
    gear.ingest([docs], source_name="docs", confirm_source=lambda _: True)

    assert [ADA] == readers(gear, "pay.txt")


@pytest.mark.parametrize("first", ["ingest", "sync", "set_readers"])
@pytest.mark.parametrize("then", ["ingest", "sync", "upload", "line"])
def test_a_new_document_of_a_source_has_the_readers_of_the_source(gear, docs, tmp_path, first, then):
    """However it comes, if the command names no readers and the document has none on record."""
    if first == "set_readers":
        gear.ingest([docs])
        assert gear.corpus.stats().passages == gear.corpus.set_readers(docs, ADA)
    else:
        (gear.ingest if first == "ingest" else gear.corpus.sync)([docs], readers=ADA)
    new = old(docs / "bonus.txt", "The harbourmaster gets a bonus in May.")
    if then == "upload":
        gear.ingest([new], names={new: "docs/bonus.txt"})
    elif then == "line":
        (tmp_path / "c.jsonl").write_text(json.dumps({"id": "b", "text": "A bonus.", "source": "docs/bonus.txt"}))
        gear.ingest([tmp_path / "c.jsonl"])
    else:
        (gear.ingest if then == "ingest" else gear.corpus.sync)([docs])

    assert [ADA] == readers(gear, "bonus.txt") == readers(gear, "pay.txt")
    expected = [("docs/", ("user:ada",)), *((f"docs/{name}.txt", ("user:ada",)) for name in ("bonus", "pay"))]
    assert expected == [(record.source, record.readers) for record in gear.corpus.readers()]


def test_a_new_document_below_an_address_has_the_readers_of_the_address(gear):
    """Those of the nearest one that has readers."""
    memory = fsspec.filesystem("memory")
    memory.pipe("/store/pay.txt", TEXT.encode())
    try:
        gear.corpus.sync(["memory://store"], readers=ADA)
        memory.pipe("/store/news.txt", b"The harbour opens in May.")
        gear.corpus.sync(["memory://store"])
    finally:
        memory.rm("/store", recursive=True)

    assert [ADA] == readers(gear, "store/news.txt")


def test_a_document_that_was_opened_stays_open_in_a_source_with_readers(gear, docs):
    """Also its new version. A file that is given by itself says nothing about the other ones."""
    gear.ingest([docs], readers=ADA)
    gear.corpus.set_readers(docs / "pay.txt", [])
    gear.ingest([old(docs / "pay.txt", "The harbourmaster resigns.")])
    gear.ingest([old(docs / "other.txt", "The mayor resigns.")], readers=CEM)
    gear.ingest([old(docs / "new.txt", "The council meets in June.")])

    assert [["everybody"]] == readers(gear, "pay.txt")
    assert [CEM] == readers(gear, "other.txt")
    assert [ADA] == readers(gear, "new.txt")


@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_a_source_gets_more_readers_only_where_that_is_allowed(gear, docs, command):
    """As a document does; the problem says so, even if all documents were opened by themselves."""
    run = gear.ingest if command == "ingest" else gear.corpus.sync
    run([docs], readers=ADA)
    gear.corpus.set_readers(docs / "pay.txt", [])
    problems = []
    run([docs], readers=CEM, on_problem=problems.append)
    assert [("docs", KEPT_SOURCE)] == [(problem.file, problem.reason) for problem in problems]
    run([old(docs / "new.txt", "The council meets in June.").parent])
    assert [ADA] == readers(gear, "new.txt")
    run([docs], readers=CEM, widen=True)
    old(docs / "newer.txt", "The council met in May.")
    run([docs])

    assert [CEM] == readers(gear, "newer.txt") == readers(gear, "new.txt")


@pytest.mark.parametrize("way", ["forget", "rename", "drop"])
def test_the_readers_of_a_source_outlive_its_documents(gear, docs, way):
    """They follow its name, and a file that comes to the empty folder has them."""
    gear.ingest([docs], readers=ADA, collection="hr")
    if way == "forget":
        gear.corpus.forget("docs", whole=True, collection="hr")
    elif way == "drop":
        gear.corpus.drop("hr")
    else:
        gear.corpus.rename_source("docs", "pay", collection="hr")
    old(docs / "new.txt", "The council meets in June.")
    gear.ingest([docs], collection="hr")

    assert [ADA] == readers(gear, "new.txt") == readers(gear, "pay.txt")


def test_the_readers_of_a_source_are_those_of_all_its_documents(gear, docs):
    """Also of those that are gone for now; everybody may be one of them, and a folder in a source has none."""
    (docs / "in").mkdir()
    old(docs / "in" / "gone.txt", "The council is gone.")
    gear.corpus.sync([docs], readers=CEM)
    (docs / "in" / "gone.txt").unlink()
    gear.corpus.sync([docs])
    gear.corpus.set_readers("docs", ADA)
    old(docs / "in" / "gone.txt", "The council is gone.")
    gear.corpus.sync([docs])
    assert [ADA] == readers(gear, "gone.txt") == readers(gear, "pay.txt")
    assert [("docs/", ("user:ada",))] == [(record.source, record.readers) for record in gear.corpus.readers("docs")]
    with pytest.raises(NothingFound, match="'docs/in' is a folder with 1 document"):
        gear.corpus.set_readers("docs/in", CEM)
    gear.corpus.set_readers(docs, [])
    old(docs / "new.txt", "The council meets in June.")
    gear.corpus.sync([docs])

    assert [["everybody"]] == readers(gear, "gone.txt") == readers(gear, "pay.txt") == readers(gear, "new.txt")
    assert [] == gear.corpus.readers()


def test_older_databases_get_records_by_what_all_passages_allow(gear, database, docs, caplog):
    """A passage that everybody could read is restricted again."""
    gear.ingest([docs], readers=ADA)
    for query in (UNMIGRATE, UNRECORD, OPEN_FIRST):
        database.run(query)
    migrations.migrate(database, dimension=gear.embedder.dimension)

    assert [ADA] == readers(gear, "pay.txt")
    assert [("docs/pay.txt", ("user:ada",))] == [(one.source, one.readers) for one in gear.corpus.readers()[1:]]
    assert "the readers of 1 documents are on record now; 1 of their passages" in caplog.text
