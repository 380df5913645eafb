"""Sources as a user names them: their files, in which order, and what is skipped."""

import os
from pathlib import Path

import pytest

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.sources import files_to_ingest


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working folder, and a function that writes files into it."""
    monkeypatch.chdir(tmp_path)

    def made(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")

    return made


def passages(*sources):
    return [path.as_posix() for path in files_to_ingest(sources).passages]


def test_a_folder_stands_for_the_documents_in_it_and_its_folders(here):
    """Sorted, with paths as the user would write them."""
    here("docs/b.md", "docs/a/z.TXT", "docs/a.html", "docs/c.jsonl", "docs/a/b/c/d.pdf")

    expected = ["docs/a/b/c/d.pdf", "docs/a/z.TXT", "docs/a.html", "docs/b.md", "docs/c.jsonl"]
    assert expected == passages("docs") == passages("./docs/") == passages("docs", "docs/b.md")


def test_what_is_hidden_is_left_out_and_other_kinds_are_counted(here):
    """A hidden source is read if it is named."""
    here("d/.git/x.md", "d/.a.md", "d/~$a.docx", "d/a.md", "d/b.gif", "d/c.GIF", "d/e.zip", "d/Makefile", ".h/a.md")

    files = files_to_ingest(["d"])

    assert [Path("d/a.md")] == list(files.passages)
    assert {".gif": 2, ".zip": 1, "without suffix": 1} == files.skipped
    assert [".h/a.md"] == passages(".h")


def test_a_folder_with_a_corpus_is_a_data_set_wherever_it_stands(here):
    """Its questions are not passages."""
    here(
        "d/corpus.jsonl",
        "d/triples.jsonl",
        "d/queries.jsonl",
        "d/README.md",
        "e/set/corpus.jsonl",
        "e/set/q.md",
        "e/f.md",
    )

    assert ([Path("d/corpus.jsonl")], [Path("d/triples.jsonl")], {}) == (
        list(files_to_ingest(["d"]).passages),
        list(files_to_ingest(["d"]).triples),
        files_to_ingest(["d"]).skipped,
    )
    assert ["e/f.md", "e/set/corpus.jsonl"] == passages("e")


@pytest.fixture
def linked(here):
    """A folder with links: to a file and a folder in it, out of it, to the folder above, and to nothing."""
    here("d/a.md", "d/sub/b.md", "other.md", "elsewhere/c.md", "elsewhere/sub/d.md")
    here_now = Path.cwd()
    Path("elsewhere/back").symlink_to(here_now / "d")
    for name, target in [
        ("inside.md", here_now / "d/a.md"),
        ("inside", here_now / "d/sub"),
        ("out.md", here_now / "other.md"),
        ("out", here_now / "elsewhere"),
        ("up", here_now),
        ("self", here_now / "d"),
        ("round.md", "round.md"),
        ("broken.md", "nowhere"),
    ]:
        (Path("d") / name).symlink_to(target)


def test_links_out_of_a_folder_are_not_followed(linked):
    """A downloaded folder may link to a private file; targets inside the folder are read in their own place."""
    files = files_to_ingest(["d"])

    assert ["d/a.md", "d/inside.md", "d/sub/b.md"] == [path.as_posix() for path in files.passages]
    assert ["d/out", "d/out.md", "d/up"] == [path.as_posix() for path in files.links]
    assert {".md": 2} == files.skipped


def test_links_are_followed_on_request_and_end(linked):
    """Each folder is read once, even in a cycle."""
    files = files_to_ingest(["d"], follow_links=True)

    expected = ["d/a.md", "d/inside.md", "d/out/c.md", "d/out/sub/d.md", "d/out.md", "d/sub/b.md", "d/up/other.md"]
    assert expected == [path.as_posix() for path in files.passages]
    assert () == files.links


def test_a_source_that_is_a_link_is_meant(linked):
    """The user has named it."""
    assert ["d/out/c.md", "d/out/sub/d.md"] == passages("d/out")
    assert ["d/out.md"] == passages("d/out.md")


@pytest.mark.parametrize("name", ["corpus.jsonl", "triples.jsonl"])
def test_the_files_of_a_data_set_are_no_exception(here, name):
    """They are read by name, and may be links, too."""
    here("d/corpus.jsonl", "d/triples.jsonl", "other.jsonl")
    (Path("d") / name).unlink()
    (Path("d") / name).symlink_to(Path("other.jsonl").absolute())

    files = files_to_ingest(["d"])

    assert [Path("d") / name] == list(files.links)
    assert Path("d") / name not in (*files.passages, *files.triples)


def test_a_folder_of_links_that_lead_elsewhere_holds_nothing(here):
    """The message says why."""
    here("d/a.gif", "other.md")
    Path("d/out.md").symlink_to(Path("other.md").absolute())

    with pytest.raises(InputError, match=r"d holds nothing .* or follow its links \(1 leads out of it\)"):
        files_to_ingest(["d"])


def test_folders_in_folders_in_folders(here):
    """Deeper than Python's recursion limit."""
    deep = Path(*["f"] * 1_500)
    for end in range(100, 1_501, 100):
        Path(*["f"] * end).mkdir(parents=True)
    (deep / "a.md").write_text("x")

    found = passages("f")

    # Too deep for pytest to clean up, which would break its next runs.
    (deep / "a.md").unlink()
    os.removedirs(deep)
    assert [f"{deep.as_posix()}/a.md"] == found


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("gone", "gone does not exist"),
        ("a.gif", r"a\.gif is of a kind that cannot be ingested: give \.csv, .*\.htm.*\.jsonl"),
        ("a", "a is of a kind"),
        ("empty", "empty holds nothing that can be ingested"),
        ("pipe.txt", "neither a file nor a folder"),
        ("https://example.org/a.html", "https://example.org/a.html is an address: only gear sync reads those"),
    ],
)
def test_sources_that_are_refused(here, source, message):
    """The message lists the valid ones."""
    here("a.gif", "a", "empty/b.zip")
    os.mkfifo("pipe.txt")

    with pytest.raises(InputError, match=message):
        files_to_ingest([source])
