"""A document's name is a source and a path within it, wherever the command runs and however the folder is given."""

import json
import os
import unicodedata
from pathlib import Path

import pytest

from gear_neo4j.errors import InputError, NothingFound, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.graph.write.source_registry import KnownSource
from gear_neo4j.ingestion import forgetting
from gear_neo4j.ingestion.pipeline import Ingest
from tests.graphs import opened


@pytest.fixture
def gear(server, database, counting):
    """A Gear over an empty database that counts its embeddings."""
    with opened(server, counting) as gear:
        yield gear


@pytest.fixture
def teams(tmp_path):
    """Two projects, each with a folder called docs."""
    for team in ("a", "b"):
        docs = tmp_path / team / "docs"
        docs.mkdir(parents=True)
        for name in ("both.txt", f"{team}.txt"):
            old(docs / name, f"What team {team} knows of {name}.")
    return tmp_path


def old(file, text):
    """A file that is not new."""
    file.write_text(text)
    os.utime(file, (1_700_000_000 + len(text),) * 2)
    return file


def names(gear, collection="default"):
    """The names of all documents of a collection."""
    return [one.source for one in gear.corpus.sources(limit=1_000).sources if one.collection == collection]


BOTH = ["docs-2/b.txt", "docs-2/both.txt", "docs/a.txt", "docs/both.txt"]


@pytest.mark.one_server_line
@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_folders_of_one_name_are_two_sources(gear, teams, monkeypatch, command):
    """Neither replaces or removes documents of the other, in any order; the other name is reported once."""
    write = gear.ingest if command == "ingest" else gear.corpus.sync
    reported = []
    for team in ("a", "b", "a", "b"):
        monkeypatch.chdir(teams / team)
        reported.append(write(["docs"]).other_names)

    assert sorted(BOTH) == sorted(names(gear))
    assert [{}, {str(teams / "b" / "docs"): "docs-2"}, {}, {}] == reported


@pytest.mark.one_server_line
def test_a_folder_is_one_source_however_it_is_given(gear, counting, teams, monkeypatch):
    """Relative, absolute, by a link, a subfolder, a file in it, and from the folder above."""
    monkeypatch.chdir(teams / "a")
    (teams / "link").symlink_to("a/docs")
    (Path("docs") / "deep").mkdir()
    old(Path("docs/deep/c.txt"), "What lies deep.")
    gear.ingest(["docs"])
    counting.texts.clear()
    for given in (teams / "a" / "docs", "../link", "docs/deep", "docs/a.txt", "./docs/../docs", teams / "a"):
        gear.ingest([given])
        gear.corpus.sync([given])

    assert ["docs/a.txt", "docs/both.txt", "docs/deep/c.txt"] == names(gear)
    assert [] == counting.texts


def test_a_source_that_has_moved_goes_on_by_its_name(gear, counting, teams):
    """Another folder, mount or machine with at least one of its documents: nothing is embedded again."""
    gear.ingest([teams / "a" / "docs"], source_name="handbook")
    (teams / "a").rename(teams / "moved")
    counting.texts.clear()

    gear.corpus.sync([teams / "moved" / "docs"], source_name="handbook")

    assert ["handbook/a.txt", "handbook/both.txt"] == names(gear)
    assert [] == counting.texts
    [source] = gear.corpus.origins()
    assert (str(teams / "moved" / "docs"), str(teams / "a" / "docs")) == source.roots


@pytest.mark.one_server_line
@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_a_folder_without_a_document_of_the_known_source_is_asked_about(gear, teams, tmp_path, command):
    """Without an answer nothing is written."""
    write = gear.ingest if command == "ingest" else gear.corpus.sync
    write([teams / "a" / "docs"], source_name="handbook")
    other = tmp_path / "other"
    other.mkdir()
    old(other / "c.txt", "Something else.")
    asked = []

    with pytest.raises(InputError, match="none of its documents is in"):
        write([other], source_name="handbook")
    assert ["handbook/a.txt", "handbook/both.txt"] == names(gear)

    write([other], source_name="handbook", confirm_source=lambda question: asked.append(question) or True)
    assert 1 == len(asked)
    assert "handbook/c.txt" in names(gear)


def test_a_folder_that_is_a_source_gets_no_second_name(gear, teams):
    """Its documents would be stored twice."""
    gear.ingest([teams / "a" / "docs"])
    with pytest.raises(InputError, match="gear sources rename docs handbook"):
        gear.ingest([teams / "a" / "docs"], source_name="handbook")
    with pytest.raises(SettingsError, match="holds a slash"):
        gear.ingest([teams / "a" / "docs"], source_name="hand/book")


@pytest.mark.one_server_line
def test_what_an_earlier_version_has_read_is_taken_over(gear, counting, teams, monkeypatch):
    """It named documents by their paths as given."""
    monkeypatch.chdir(teams / "a")
    files = sorted(Path("docs").iterdir())
    Ingest(Graph(gear.graph.database), counting, names={file: file.as_posix() for file in files}).run(files, [])
    assert [] == gear.corpus.origins()
    counting.texts.clear()

    gear.corpus.sync(["docs"])
    monkeypatch.chdir(teams / "b")
    gear.corpus.sync(["docs"])

    assert sorted(BOTH) == sorted(names(gear))
    assert [False] * 2 == ["team a" in text for text in counting.texts]


@pytest.mark.one_server_line
def test_single_files_of_an_earlier_version_are_taken_over(gear, counting, teams, monkeypatch):
    """Given from their own folder, their names had no folder."""
    monkeypatch.chdir(teams / "a" / "docs")
    files = [Path("a.txt"), Path("both.txt")]
    Ingest(Graph(gear.graph.database), counting, names={file: file.name for file in files}).run(files, [])
    gear.corpus.set_readers("a.txt", ["user:ada"])
    counting.texts.clear()

    gear.ingest(["a.txt"])
    gear.corpus.sync(["."])

    assert ["docs/a.txt", "docs/both.txt"] == names(gear)
    assert ["docs/a.txt"] == [record.source for record in gear.corpus.readers()]
    assert [] == counting.texts


def test_a_renamed_source_keeps_readers_vectors_and_triples(gear, counting, teams):
    """A killed rename continues; its folder is known by the new name."""
    docs = teams / "a" / "docs"
    gear.corpus.sync([docs], readers=["user:ada"])
    before = gear.corpus.counts()
    counting.texts.clear()

    def killed(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gear.corpus.rename_source("docs", "handbook", on_progress=killed)
    done = gear.corpus.rename_source("docs", "handbook") if names(gear, "default") else None
    again = gear.corpus.sync([docs], readers=["user:ada"])

    assert done is not None
    assert ["handbook/a.txt", "handbook/both.txt"] == names(gear)
    assert ["handbook"] == [source.name for source in gear.corpus.origins()]
    held = [(record.source, record.readers) for record in gear.corpus.readers()]
    assert [(f"handbook/{name}", ("user:ada",)) for name in ("", "a.txt", "both.txt")] == held
    assert (before, True, []) == (gear.corpus.counts(), again.is_empty, counting.texts)
    assert not gear.scoped(principals=[]).search("team", retriever="naive")


def test_a_name_that_another_source_has_is_refused(gear, teams):
    """So is an unknown source."""
    for team in ("a", "b"):
        gear.ingest([teams / team / "docs"])
    with pytest.raises(InputError, match="another source has the name 'docs'"):
        gear.corpus.rename_source("docs-2", "docs")
    with pytest.raises(NothingFound, match="there are docs, docs-2"):
        gear.corpus.rename_source("nosuch", "x")


def test_a_path_that_is_another_documents_name_is_ambiguous(gear, teams, monkeypatch):
    """Here docs/both.txt is a document of docs-2; there it is one of docs."""
    for team in ("a", "b"):
        gear.ingest([teams / team / "docs"])
    monkeypatch.chdir(teams / "b")
    with pytest.raises(NothingFound, match="'docs/both.txt' is ambiguous"):
        gear.corpus.set_readers("docs/both.txt", ["user:ada"])
    assert [] == gear.corpus.readers()
    with pytest.raises(NothingFound, match="'docs/both.txt' is ambiguous"):
        gear.corpus.forget("docs/both.txt")
    gear.corpus.forget(teams / "a" / "docs" / "both.txt")
    gear.corpus.forget("docs-2/b.txt")

    assert ["docs-2/both.txt", "docs/a.txt"] == names(gear)


def test_both_forms_of_a_letter_are_one_name(gear, tmp_path):
    """If the names of two files differ only in that, the second file is reported."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for form in ("NFC", "NFD"):
        old(docs / unicodedata.normalize(form, "Müller.txt"), f"Müller in {form}.")
    problems = []
    gear.ingest([docs], on_problem=problems.append)
    gear.corpus.sync([docs], on_problem=problems.append)

    assert [unicodedata.normalize("NFC", "docs/Müller.txt")] == names(gear)
    assert [True, True] == ["is the same document as" in problem.reason for problem in problems]


def test_a_name_that_is_not_utf8_costs_one_line(gear, tmp_path):
    """The other documents are written, by an ingest and by a sync."""
    docs = tmp_path / "docs"
    docs.mkdir()
    old(docs / "a.txt", "Mirefield lies on the Ursel.")
    (docs / os.fsdecode(b"b\xff.txt")).write_text("Odd.")
    for write in (gear.ingest, gear.corpus.sync):
        problems = []
        write([docs], on_problem=problems.append)
        assert ["has a name that is not UTF-8: rename it"] == [problem.reason for problem in problems]
        assert ["docs/a.txt"] == names(gear)


def test_a_line_may_name_another_source_later(gear, tmp_path):
    """From then on its passage belongs to that source."""
    corpus = tmp_path / "corpus.jsonl"
    for source in ("a.md", "b.md"):
        corpus.write_text(json.dumps({"id": "p1", "text": "Ada built the harbour.", "source": source}) + "\n")
        gear.ingest([corpus])

    assert ["b.md"] == names(gear)
    assert 1 == gear.corpus.forget("b.md").passages


def test_a_given_name_is_also_that_of_lines(gear, tmp_path):
    """For lines with a source and for lines without one."""
    rows = [{"id": "p1", "text": "One.", "source": "a.md"}, {"id": "p2", "text": "Two."}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    gear.ingest([tmp_path / "corpus.jsonl"], source_name="notes")

    assert ["notes/a.md", "notes/corpus.jsonl"] == names(gear)


def test_a_source_is_no_document(gear, teams, monkeypatch):
    """Its name, its path or a folder in it: the message has the number of its documents, and what to do."""
    docs = teams / "a" / "docs"
    (docs / "deep").mkdir()
    old(docs / "deep" / "c.txt", "What lies deep.")
    gear.ingest([docs])
    monkeypatch.chdir(teams / "a")
    source = "'docs' is a source with 3 documents, such as 'docs/a.txt': "
    for given in ("docs", "docs/", "./docs", docs, Path("docs")):
        with pytest.raises(NothingFound, match=source + "forget one document by its name, or all of them with --all"):
            gear.corpus.forget(given)
    with pytest.raises(NothingFound, match="'docs/deep' is a folder with 1 document, .* 'gear ingest FOLDER --readers"):
        gear.corpus.set_readers("docs/deep", ["group:hr"])
    assert [] == gear.corpus.readers()
    for given in ("docs", "docs/", "./docs", docs, Path("docs")):
        assert 3 == gear.corpus.set_readers(given, ["group:hr"])
        assert ["docs/"] == [record.source for record in gear.corpus.readers(given)]


def test_a_record_of_a_source_can_be_removed(gear, teams):
    """An earlier version has written such records."""
    gear.ingest([teams / "a" / "docs"])
    gear.graph.readers.record({"docs": ["group:hr"]}, collection="default", widen=True)
    assert 2 == gear.corpus.set_readers("docs", [])

    assert [] == gear.corpus.readers()


def test_all_documents_of_a_source_are_forgotten(gear, teams, monkeypatch):
    """Or of a folder in it; the source is forgotten unless readers are on record for it. Others stay."""
    for name in ("docs#1", "docs-1"):
        (teams / "a" / "docs" / name).mkdir()
        old(teams / "a" / "docs" / name / "c.txt", f"What lies in {name}.")
    gear.ingest([teams / "a" / "docs" / "docs#1"])
    gear.ingest([teams / "a" / "docs", teams / "b" / "docs"])
    assert Deletion(1) == gear.corpus.forget("docs/docs-1", whole=True, dry_run=True)
    assert 1 == gear.corpus.forget("docs/docs-1", whole=True).passages
    gear.corpus.set_readers("docs-2/b.txt", ["group:hr"])
    monkeypatch.setattr(forgetting, "DOCUMENTS_A_BATCH", 1)

    assert 2 == gear.corpus.forget(teams / "a" / "docs", whole=True).passages
    assert 2 == gear.corpus.forget("docs-2", whole=True).passages

    assert ["docs#1/c.txt"] == names(gear)
    assert ["docs#1", "docs-2"] == [source.name for source in gear.corpus.origins()]
    with pytest.raises(NothingFound, match="no passage has the source 'docs'"):
        gear.corpus.forget("docs", whole=True)
    with pytest.raises(NothingFound, match="is a document, not a source"):
        gear.corpus.forget("docs#1/c.txt", whole=True)


@pytest.mark.parametrize("readers", [None, ["group:hr"]])
def test_an_ingest_that_reads_nothing_leaves_no_source(gear, teams, readers):
    """Unless it has recorded readers: the name stays that folder's."""
    for file in (teams / "a" / "docs").iterdir():
        file.write_bytes(b"\xff")
    problems = []
    gear.ingest([teams / "a" / "docs"], readers=readers, on_problem=problems.append)

    assert 2 == len(problems)
    assert [] == names(gear)
    assert ([] if readers is None else ["docs"]) == [source.name for source in gear.corpus.origins()]


def test_an_ingest_that_is_refused_leaves_no_source(gear, teams, tmp_path):
    """Here for the second of two folders."""
    other = tmp_path / "else" / "a"
    other.mkdir(parents=True)
    old(other / "c.txt", "Something else.")
    gear.ingest([teams / "a" / "docs"], source_name="x")
    gear.graph.registry.record(
        KnownSource(name="known", roots=(str(other),), machine="another"), collection="default", known=True
    )
    with pytest.raises(InputError, match="none of its documents is in"):
        gear.ingest([teams / "b" / "docs", other])

    assert ["known", "x"] == [source.name for source in gear.corpus.origins()]


def test_one_path_may_be_given_alone(gear, teams):
    """As a text or a path, where a list of paths is expected; a name is one name."""
    docs = teams / "a" / "docs"
    gear.ingest(str(docs), readers="user:ada")
    gear.corpus.sync(docs, readers="user:ada")
    gear.corpus.set_readers("docs/a.txt", "user:bo")

    assert ["docs/a.txt", "docs/both.txt"] == names(gear)
    assert [("user:ada",), ("user:bo",), ("user:ada",)] == [record.readers for record in gear.corpus.readers()]
    assert ["docs/a.txt"] == [
        hit.passage.source for hit in gear.scoped(principals="user:bo").search("team", retriever="naive")
    ]
