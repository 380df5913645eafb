"""After each ``gear sync``, a collection is the same as after a fresh ingest of its sources."""

import json
import os
import random
import time
from contextlib import suppress

import fsspec
import pytest

from gear_neo4j.domain import Passage
from gear_neo4j.errors import DatabaseError, InputError, MigrationError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.queries import Query
from tests.changing_folder import ChangingFolder
from tests.forks import Connecting, syncing
from tests.graphs import opened

# 'make test' runs a short life; for a long one: GEAR_SYNC_DOCUMENTS=500 GEAR_SYNC_EDITS=300 GEAR_SYNC_KILLS=10.
DOCUMENTS = int(os.environ.get("GEAR_SYNC_DOCUMENTS", "60"))
EDITS = int(os.environ.get("GEAR_SYNC_EDITS", "48"))
KILLS = int(os.environ.get("GEAR_SYNC_KILLS", "3"))
ROUNDS = 6
HELD = Query(
    "held",
    "MATCH (p:Passage {collection: $collection}) "
    "RETURN p.source AS source, p.title AS title, p.text AS text, p.position AS position, p.embedding AS vector, "
    "p.readers AS readers, p.extractors AS extractors, "
    "[key IN keys(p) WHERE key STARTS WITH 'meta_' | [key, p[key]]] AS metadata, "
    "COLLECT { MATCH (p)<-[:FROM]-(t:Triple)-[:SUBJECT]->(s), (t)-[:OBJECT]->(o) "
    "RETURN [t.subject, t.predicate, t.object, s.key, o.key, t.embedding, t.collection, t.readers] } AS triples",
    frozenset({"collection"}),
)
ALONE = Query("alone", "MATCH (e:Entity) WHERE NOT EXISTS { (e)<-[:SUBJECT|OBJECT]-() } RETURN count(e) AS alone")
IDS = Query(
    "ids",
    "MATCH (p:Passage {collection: $collection}) OPTIONAL MATCH (p)<-[:FROM]-(t:Triple) "
    "RETURN p.id AS passage, p.source AS source, p.title AS title, p.text AS text, collect(t.id) AS triples",
    frozenset({"collection"}),
)


@pytest.fixture
def gear(server, database, counting):
    """A Gear over an empty database that counts its embeddings."""
    with opened(server, counting) as gear:
        yield gear


def held(gear, collection):
    """The passages of a collection with everything that belongs to them, sorted."""
    rows = gear.graph.database.run(HELD, collection=collection)
    for row in rows:
        row["metadata"] = sorted(row["metadata"])
        row["triples"] = sorted(map(repr, row["triples"]))
        row["triples"] = [triple.replace(f"'{collection}'", "'…'") for triple in row["triples"]]
    return sorted(json.dumps(row, sort_keys=True, default=str) for row in rows)


def is_fresh(gear, folder, collection="synced"):
    """Whether a collection equals an ingest of the folder into an empty one, without orphaned entities."""
    gear.ingest([folder], collection="fresh")
    expected, actual = held(gear, "fresh"), held(gear, collection)
    gear.corpus.drop("fresh")
    assert [] == [row for row in expected if row not in actual]
    assert [] == [row for row in actual if row not in expected]
    assert len(expected) == len(actual)
    assert [{"alone": 0}] == gear.graph.database.run(ALONE)
    return True


@pytest.mark.one_server_line
def test_the_life_of_a_folder(gear, counting, tmp_path):
    """Random edits, renames, deletions and broken files; unchanged text is not embedded again."""
    folder = ChangingFolder(tmp_path / "docs", seed=1, documents=DOCUMENTS)
    gear.corpus.sync([folder.root], collection="synced")
    assert is_fresh(gear, folder.root)
    happened = {}
    for _ in range(ROUNDS):
        for what, number in folder.live(EDITS // ROUNDS).items():
            happened[what] = happened.get(what, 0) + number
        counting.texts.clear()

        planned = gear.corpus.sync([folder.root], collection="synced", dry_run=True)
        assert [] == counting.texts
        report = gear.corpus.sync([folder.root], collection="synced", most_deleted=1)

        embedded = list(counting.texts)
        assert (planned.new, planned.changed, planned.moved, planned.deleted) == (
            report.new,
            report.changed,
            report.moved,
            report.deleted,
        )
        assert planned.passages_written == report.passages_written
        after = {
            Passage("", row["title"], row["text"]).content for row in gear.graph.database.run(IDS, collection="synced")
        }
        passages = [text for text in embedded if text in after]
        assert len(passages) == report.passages_written
        assert is_fresh(gear, folder.root)
        again = gear.corpus.sync([folder.root], collection="synced")
        assert again.is_empty
    assert {"create", "edit", "rename", "shift", "delete", "break", "touch"} == set(happened)


@pytest.mark.one_server_line
def test_a_sync_that_is_killed_goes_on(gear, server, tmp_path):
    """SIGKILL at random moments; then a complete sync gives the result of a fresh ingest, and leaves nothing to do."""
    folder = ChangingFolder(tmp_path / "docs", seed=2, documents=DOCUMENTS)
    chance = random.Random(3)
    for _ in range(KILLS):
        process = Connecting(syncing, server, folder.root, "synced")
        assert process.began.wait(60)
        time.sleep(chance.uniform(0, 2))
        process.kill()
        folder.live(EDITS // ROUNDS)

    gear.corpus.sync([folder.root], collection="synced", most_deleted=1)

    assert is_fresh(gear, folder.root)
    assert gear.corpus.sync([folder.root], collection="synced").is_empty


@pytest.mark.one_server_line
def test_a_sync_that_breaks_off_before_any_of_its_writes_leaves_nothing_behind(gear, tmp_path, monkeypatch):
    """If the document is deleted afterwards, the next sync removes its partial data."""
    run, left = Database.run, [0]

    def failing(self, query, /, **parameters):
        left[0] -= query.writes
        if left[0] == 0 and query.writes:
            raise DatabaseError("the connection was lost")
        return run(self, query, **parameters)

    broken = 0
    for point in range(1, 30):
        folder = tmp_path / str(point)
        folder.mkdir()
        old(folder / "first.md", "# first\n\nGrace Hopper lived in New York.\n")
        gear.corpus.sync([folder], collection="synced")
        for name in ("stays", "goes"):
            old(folder / f"{name}.md", f"# {name}\n\nAda Lovelace met Charles Babbage in London.\n")
        left[0] = point
        with monkeypatch.context() as patch, suppress(DatabaseError):
            patch.setattr(Database, "run", failing)
            gear.corpus.sync([folder], collection="synced")
        broken += left[0] <= 0
        (folder / "goes.md").unlink()
        gear.corpus.sync([folder], collection="synced")
        assert is_fresh(gear, folder)
        gear.corpus.drop("synced")
        if left[0] > 0:
            break
    assert broken >= 4


def test_a_document_that_moves_keeps_its_vectors_and_triples(gear, counting, tmp_path):
    """Into another folder, with new ids."""
    folder = tmp_path / "docs"
    folder.mkdir()
    old(folder / "ada.md", "# Ada\n\nAda Lovelace met Charles Babbage in London.\n")
    gear.corpus.sync([folder])
    (folder / "people").mkdir()
    (folder / "ada.md").rename(folder / "people" / "ada.md")
    counting.texts.clear()

    report = gear.corpus.sync([folder])

    assert (1, 1, 0, 0) == (report.moved, report.passages_moved, report.passages_written, report.deleted)
    assert [] == counting.texts
    [row] = gear.graph.database.run(IDS, collection="default")
    assert "docs/people/ada.md" == row["source"]
    assert row["triples"]
    assert is_fresh(gear, folder, "default")


@pytest.mark.parametrize(
    "names",
    [{"a": "b", "b": "c"}, {"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "a"}, {"a": "b", "b": "c", "c": "d"}],
    ids=["chain", "swap", "round", "long chain"],
)
def test_documents_that_take_one_anothers_names_keep_their_vectors_and_triples(gear, counting, tmp_path, names):
    """Whatever passages they share; nothing is embedded, and nothing is left to do."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number, name in enumerate("abc"):
        shared = "# Notice\n\nAda Lovelace met Charles Babbage in London.\n\n" if name != "c" else ""
        old(folder / f"{name}.md", f"{shared}# Part {number}\n\nGrace Hopper lived in room {number} in New York.\n")
    gear.corpus.sync([folder])
    for name in names:
        (folder / f"{name}.md").rename(folder / f"{name}.moved")
    for name, target in names.items():
        (folder / f"{name}.moved").rename(folder / f"{target}.md")
    counting.texts.clear()

    planned = gear.corpus.sync([folder], dry_run=True)
    report = gear.corpus.sync([folder], most_deleted=0)

    assert (len(names), 0, 0, 0) == (report.moved, report.new, report.changed, report.deleted)
    assert (0, 0) == (planned.passages_written, report.passages_written)
    assert [] == counting.texts
    assert is_fresh(gear, folder, "default")
    assert gear.corpus.sync([folder]).is_empty


def test_a_name_from_which_a_document_has_moved_can_be_written_anew(gear, counting, tmp_path):
    """The moved document keeps its vectors, the other one is new."""
    folder = tmp_path / "docs"
    folder.mkdir()
    old(folder / "log.md", "# Monday\n\nAda Lovelace met Charles Babbage in London.\n")
    gear.corpus.sync([folder])
    (folder / "log.md").rename(folder / "log.1.md")
    old(folder / "log.md", "# Tuesday\n\nGrace Hopper lived in New York.\n")
    counting.texts.clear()

    report = gear.corpus.sync([folder])

    assert (1, 1, 0, 0) == (report.moved, report.new, report.changed, report.deleted)
    assert ["Tuesday\n# Tuesday\n\nGrace Hopper lived in New York."] == counting.texts[:1]
    assert not [text for text in counting.texts if "Monday" in text]
    assert is_fresh(gear, folder, "default")


def test_documents_of_an_earlier_ingest_are_taken_over(gear, counting, tmp_path):
    """Deleted files are removed, documents of another folder stay, and nothing is embedded again."""
    for name in ("docs/a.md", "docs/b.md", "docs-old/c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        old(tmp_path / name, f"# {name}\n\nText of {name}.\n")
    gear.ingest([tmp_path / "docs", tmp_path / "docs-old"])
    (tmp_path / "docs" / "b.md").unlink()
    counting.texts.clear()

    report = gear.corpus.sync([tmp_path / "docs"])

    assert (0, 0, 1, 1) == (report.new, report.changed, report.unchanged, report.deleted)
    assert [] == counting.texts
    assert 2 == gear.corpus.counts().passages


def test_a_source_that_looks_empty_empties_nothing(gear, tmp_path):
    """An unmounted share, and a missing folder."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(8):
        old(folder / f"{number}.md", f"# Page {number}\n\nText.\n")
    gear.corpus.sync([folder])
    away = folder.rename(tmp_path / "away")
    with pytest.raises(InputError, match="does not exist"):
        gear.corpus.sync([folder])
    folder.mkdir()
    with pytest.raises(InputError, match="8 of 8 documents are gone from the sources, more than 20%"):
        gear.corpus.sync([folder])
    assert 8 == gear.corpus.counts().passages

    assert 8 == gear.corpus.sync([folder], most_deleted=1).deleted
    assert 0 == gear.corpus.counts().passages
    assert away.is_dir()


@pytest.mark.one_server_line
def test_what_was_forgotten_comes_back(gear, tmp_path):
    """A sync restores documents of the sources that other commands removed."""
    folder = tmp_path / "docs"
    folder.mkdir()
    old(folder / "a.md", "# A\n\nText.\n")
    gear.corpus.sync([folder], collection="some")
    gear.corpus.forget(folder / "a.md", collection="some")

    assert 1 == gear.corpus.sync([folder], collection="some").passages_written
    gear.corpus.drop("some")
    assert 1 == gear.corpus.sync([folder], collection="some").passages_written


def test_a_file_that_cannot_be_read_keeps_its_passages(gear, tmp_path):
    """Unlike one with unusable content, which is reported each time until it changes."""
    folder = tmp_path / "docs"
    folder.mkdir()
    old(folder / "a.md", "# A\n\nText.\n")
    gear.corpus.sync([folder])
    (folder / "a.md").unlink()
    # Root may read any file, but reading the first byte of this one fails.
    (folder / "a.md").symlink_to("/proc/self/mem")
    problems = []
    kept = gear.corpus.sync([folder], follow_links=True, on_problem=problems.append)
    (folder / "a.md").unlink()
    old(folder / "a.md", "", content=b"\xff\xff")
    gone = gear.corpus.sync([folder], on_problem=problems.append)
    still = gear.corpus.sync([folder], on_problem=problems.append)

    assert (1, 0, 1) == (kept.problems, kept.passages_removed, gone.passages_removed)
    assert "cannot be read" in str(problems[0])
    assert still.is_empty
    assert ["is not UTF-8" in str(problem) for problem in problems[-2:]] == [True, True]


@pytest.mark.one_server_line
def test_an_address_is_synced_by_fsspec(gear, counting, tmp_path):
    """Documents are named by their address; hidden files and files of other kinds are skipped."""
    memory = fsspec.filesystem("memory")
    memory.pipe("/library/a.md", b"# Ada\n\nAda Lovelace met Charles Babbage in London.\n")
    memory.pipe("/library/deep/b.txt", b"Grace Hopper worked in New York.")
    memory.pipe("/library/.hidden.md", b"# Hidden")
    memory.pipe("/library/photo.gif", b"png")
    try:
        first = gear.corpus.sync(["memory://library"])
        counting.texts.clear()
        same = gear.corpus.sync(["memory://library"])
        memory.mv("/library/a.md", "/library/people/a.md")
        memory.rm("/library/deep/b.txt")
        moved = gear.corpus.sync(["memory://library"])
    finally:
        memory.rm("/library", recursive=True)

    assert (2, {".gif": 1}) == (first.new, first.skipped)
    assert same.is_empty
    assert (1, 1, 0) == (moved.moved, moved.deleted, moved.passages_written)
    assert [] == counting.texts
    assert ["memory://library/people/a.md"] == [one.source for one in gear.corpus.sources().sources]


def test_an_address_is_one_source_with_and_without_a_slash(gear, tmp_path):
    """Its documents are named by it, and no longer as their file system writes their addresses."""
    memory = fsspec.filesystem("memory")
    memory.pipe("/library/a.md", b"Ada built the harbour.")
    former = tmp_path / "a.md"
    former.write_text("Ada built the harbour.")
    gear.ingest([former], names={former: "memory:///library/a.md"})
    gear.corpus.set_readers("memory:///library/a.md", ["user:ada"])
    try:
        for address in ("memory://library/", "memory://library", "memory://library/a.md"):
            gear.corpus.sync([address])
            assert ["memory://library/a.md"] == [one.source for one in gear.corpus.sources().sources]
    finally:
        memory.rm("/library", recursive=True)

    assert [("memory://library/a.md", ("user:ada",))] == [(one.source, one.readers) for one in gear.corpus.readers()]


@pytest.mark.parametrize(
    ("source", "message"),
    [("memory://nowhere", "does not exist"), ("nosuch://x/y", "nosuch"), ("/nowhere/at/all", "does not exist")],
)
def test_a_source_that_is_not_there_costs_one_line(gear, source, message):
    """Nothing is written."""
    with pytest.raises(InputError, match=message):
        gear.corpus.sync([source])


def test_a_dry_run_needs_no_schema_and_makes_none(server, empty, counting, tmp_path):
    """In an empty database everything is new; in one of an older version it says what to do."""
    old(tmp_path / "a.md", "# A\n\nText.\n")
    with opened(server, counting) as gear:
        report = gear.corpus.sync([tmp_path], dry_run=True)
        assert (1, 1) == (report.new, report.passages_written)
        assert [] == gear.graph.database.run(Query("all", "SHOW CONSTRAINTS"))
        gear.corpus.prepare()
        gear.graph.database.run(
            Query("older", "MATCH (m:__Neo4jMigration) WHERE m.version >= '008' DETACH DELETE m", writes=True)
        )
        with pytest.raises(MigrationError, match="gear migrate"):
            gear.corpus.sync([tmp_path], dry_run=True)


def test_readers_and_the_size_of_passages_take_effect_on_what_has_not_changed(gear, counting, tmp_path):
    """New readers need no embedding; another size does."""
    old(tmp_path / "a.md", "# A\n\n" + "A sentence of some length. " * 20)
    gear.corpus.sync([tmp_path])
    counting.texts.clear()

    readers = gear.corpus.sync([tmp_path], readers=["group:legal"])
    assert (1, []) == (readers.changed, counting.texts)
    assert {("group:legal",)} == {tuple(row["readers"]) for row in gear.graph.database.run(HELD, collection="default")}
    smaller = gear.corpus.sync([tmp_path], readers=["group:legal"], chunk_size=200)
    assert smaller.passages_written > 1
    assert smaller.passages_removed == 1


def old(path, text, content=None):
    """Write a file with an old modification time."""
    path.write_bytes(text.encode() if content is None else content)
    moment = 1_700_000_000 + path.stat().st_ino % 1_000_000
    os.utime(path, (moment, moment))
