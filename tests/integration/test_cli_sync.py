"""``gear sync`` as its users see it: its output, its questions and its exit codes."""

import json
import os
import signal
import time

import pytest

from gear_neo4j.errors import ExitCode
from gear_neo4j.ingestion import ocr, office
from tests.commands import one_line
from tests.office import word
from tests.pdfs import pdf
from tests.processes import GEAR, PIPE, started
from tests.scanned import LEASE, scanned

pytestmark = pytest.mark.one_server_line


@pytest.fixture
def docs(tmp_path):
    """A folder of seven pages that are not new."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(7):
        write(folder / f"page{number}.md", f"# Page {number}\n\nAda Lovelace met Charles Babbage in London.\n")
    return folder


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (1_700_000_000, 1_700_000_000 + len(text)))


def test_a_folder_is_planned_synced_and_synced_again(gear, docs):
    """The plan writes nothing; changes are counted."""
    planned = gear("sync", docs, "--dry-run", "--extract", "model")
    first = gear("sync", docs)
    write(docs / "page1.md", "# Page 1\n\nGrace Hopper worked in New York.\n")
    (docs / "page2.md").rename(docs / "moved.md")
    (docs / "page3.md").unlink()
    second = gear("sync", docs)
    third = gear("sync", docs)

    assert planned[0] == 0
    assert planned[1].startswith("documents: 7 new; 7 passages would be written\nextraction: 7 passages, one call each")
    assert first[1].startswith("documents: 7 new; 7 passages written; ")
    assert " triples from 7 passages by rules\n" in first[1]
    assert second[1].startswith(
        "documents: 1 changed, 1 moved, 1 deleted, 4 unchanged; 1 passage written; 1 moved; 2 removed; "
    )
    assert third[1] == "documents: 6 unchanged; 0 passages written\n"


def test_what_was_not_read_of_a_document_is_named(gear, tmp_path):
    """Pages without text, and an encoding that was assumed, by ingest and sync alike; what is read is written."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    write(folder / "scan.pdf", pdf("Ada Lovelace met Charles Babbage.", None, None))
    write(folder / "old.txt", "Jörg Müller met Ada Lovelace in Köln.".encode("cp1252"))
    said = ("pages 2 to 3 without text", "is not UTF-8: read as cp1252")

    ingested = gear("ingest", folder, "--collection", "other", "--ocr", "off")
    first = gear("sync", folder, "--ocr", "off")
    second = gear("sync", folder, "--ocr", "off")

    assert (ExitCode.PARTIAL, ExitCode.PARTIAL, 0) == (ingested[0], first[0], second[0])
    assert all(text in ingested[1] + ingested[2] and text in first[1] + first[2] for text in said)
    assert "2 new" in first[1]
    assert "2 unchanged" in second[1]


@pytest.mark.usefixtures("tesseract")
def test_a_scan_is_read_once_ocr_is_there(gear, tmp_path):
    """Until then it is named once, and other documents are not read again."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    write(folder / "lease.pdf", scanned(LEASE))
    write(folder / "note.md", "Ada Lovelace met Charles Babbage.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(folder))
        ocr._installed.cache_clear()
        first, second = gear("sync", folder), gear("sync", folder)
    ocr._installed.cache_clear()

    assert "lease.pdf: holds no text (scanned pages need OCR" in first[2]
    assert "unchanged" in second[1]
    third, fourth = gear("sync", folder), gear("sync", folder)
    assert (0, True) == (third[0], third[1].startswith("documents: 1 changed, 1 unchanged; 1 passage written"))
    assert fourth[1] == "documents: 2 unchanged; 0 passages written\n"


@pytest.mark.parametrize("command", ["sync", "ingest"])
def test_a_folder_whose_name_is_taken_gets_another_one_which_is_said_once(gear, docs, tmp_path, command):
    """In one line on standard error."""
    other = tmp_path / "other" / "docs"
    other.mkdir(parents=True)
    write(other / "page.md", "# Page\n\nGrace Hopper worked in New York.\n")
    gear(command, docs)
    first, second = gear(command, other), gear(command, other)

    line = f"{other} is the source 'docs-2', because another source has its name (gear sources lists them)"
    assert [0, 0] == [first[0], second[0]]
    assert line in first[2].splitlines()
    assert "docs-2" not in second[2]


def test_json_has_the_numbers(gear, docs, tmp_path):
    """As in Python."""
    code, _, _ = gear("sync", docs, "--collection", "handbook", "--json", tmp_path / "sync.json")

    report = json.loads((tmp_path / "sync.json").read_text())["sync"]
    assert (0, 7, 7) == (code, report["new"], report["passages_written"])


def test_a_folder_that_is_nearly_empty_needs_a_yes(gear, docs):
    """Without a terminal nothing is asked, and nothing is removed."""
    gear("sync", docs)
    for number in range(6):
        (docs / f"page{number}.md").unlink()

    assert one_line(gear("sync", docs), "6 of 7 documents are gone from the sources", "--yes")
    assert "7 unchanged" not in gear("sync", docs, "--dry-run")[1]
    code, out, _ = gear("sync", docs, "--yes")
    assert (0, True) == (code, out.startswith("documents: 6 deleted, 1 unchanged; 0 passages written; 6 removed"))


def test_one_broken_file_stops_nothing(gear, docs):
    """It is named, and the exit code says that the result is partial."""
    write(docs / "page0.md", b"\xff\xfe\x00")
    (docs / "photo.gif").write_bytes(b"png")

    code, out, err = gear("sync", docs)

    assert (ExitCode.PARTIAL, True) == (code, "6 new; 6 passages written" in out)
    assert "docs/page0.md: is not UTF-8" in err
    assert "1 file skipped: .gif" in err
    assert "1 document could not be used, see above; fix and sync again" in err


def test_a_document_is_counted_once(gear, docs):
    """Whether it is new, changed or the same: one that cannot be used is only that, and nothing of it is kept."""
    write(docs / "page0.md", b"\xff\xfe\x00")
    first = gear("sync", docs)
    write(docs / "page1.md", b"\xff\xfe\x00\x00")
    planned = gear("sync", docs, "--dry-run")
    second = gear("sync", docs)

    assert first[1].startswith("documents: 6 new; ")
    assert planned[1].startswith("documents: 5 unchanged; ")
    assert second[1].startswith("documents: 5 unchanged; 0 passages written; 1 removed")
    assert "2 documents could not be used" in second[2]


@pytest.mark.parametrize("command", ["sync", "ingest"])
def test_documents_that_keep_their_readers_are_no_failures(gear, docs, tmp_path, command):
    """Each is named once, and counted by itself."""
    write(docs / "page0.md", "# Page\n\n" + "Ada Lovelace met Charles Babbage in London.\n\n" * 4_000)
    gear(command, docs, "--readers", "group:board")
    code, _, err = gear(command, docs, "--readers", "group:all", "--json", tmp_path / "report.json")

    report = json.loads((tmp_path / "report.json").read_text())[command]
    assert (ExitCode.PARTIAL, 7, 0) == (code, report["kept_readers"], report["problems"])
    assert 7 == sum("keeps its readers" in line for line in err.splitlines())
    assert "gear: the readers of 7 documents are unchanged, see above; --widen lets more people read" in err
    assert "could not be used" not in err


def test_a_sync_of_an_empty_folder_makes_no_source(gear, docs, tmp_path):
    """Of a source that is known, the documents are gone."""
    (tmp_path / "none").mkdir()
    assert 0 == gear("sync", tmp_path / "none")[0]
    assert "no source has been read" in gear("sources")[1]


def test_office_files_without_their_extra_are_left_alone(gear, docs, monkeypatch):
    """Their stored passages stay, and the line on skipped files says what to install."""
    write(docs / "letter.docx", word("Grace Hopper lived in New York."))
    assert "8 new; 8 passages written" in gear("sync", docs)[1]
    monkeypatch.setattr(office, "is_installed", lambda: False)

    code, out, err = gear("sync", docs, "--yes")

    assert (0, True) == (code, "documents: 7 unchanged; 0 passages written" in out)
    assert "1 file skipped: .docx; Word, PowerPoint and Excel files need the extra: pip install" in err
    assert one_line(gear("ingest", docs / "letter.docx"), "letter.docx cannot be read here", "gear-neo4j[office]")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-tokens", "5"), "--extract model"),
        (("--retry-failed",), "--extract model"),
        (("--watch", "--json"), "--watch runs until interrupted"),
        (("--watch", "--dry-run"), "--watch runs until interrupted"),
        (("--chunk-size", "5"), "--chunk-size"),
        (("--collection", "a/b"), "collection"),
        (("--extract", "nobody"), "--extract"),
    ],
)
def test_a_wrong_option_costs_one_message(gear, docs, options, message):
    """Nothing is written."""
    code, out, err = gear("sync", docs, *options)

    assert code == ExitCode.ERROR
    assert out == ""
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)]
)
def test_a_watch_goes_on_by_itself_until_it_is_stopped(gear, docs, server, number, code):
    """A new page can be searched a moment later; Ctrl-C or SIGTERM ends the watch at once."""
    with started([*GEAR, "sync", docs, "--watch", "--every", "1"], stdout=PIPE, stderr=PIPE) as process:
        first = process.stdout.readline()
        write(docs / "later.md", "# Later\n\nMary Somerville lived in Naples.\n")
        second = process.stdout.readline()
        process.send_signal(number)
        began = time.monotonic()
        _, err = process.communicate()
        took = time.monotonic() - began

    assert first.startswith("documents: 7 new")
    assert second.startswith("documents: 1 new, 7 unchanged; 1 passage written")
    assert took < 5
    assert code == process.returncode
    assert "Traceback" not in err
    found, out, _ = gear("search", "Who lived in Naples?")
    assert (0, True) == (found, "Later" in out)
