"""The chains of the audit record: whatever is changed afterwards is found, with its place."""

import shutil
import stat
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.web.audit.files import anchor_of, chains_in
from gear_neo4j.web.audit.verifying import verified
from gear_neo4j.web.audit.writing import ChainWriter
from tests.disk import full_disk

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
SMALL = 700
ENTRIES = [{"kind": "search", "what": {"passages": [f"p{n}"]}} for n in range(9)]


class Clock:
    """The time, which a test sets."""

    def __init__(self):
        self.time = NOON

    def __call__(self):
        return self.time


def written(folder, entries=ENTRIES, *, most_bytes=SMALL):
    """Write entries one by one; returns the name of the chain."""
    writer = ChainWriter(folder, most_bytes=most_bytes, clock=Clock())
    for entry in entries:
        writer.append([entry])
    writer.close()
    return writer.chain


def report(folder, **options):
    """The report of the only chain."""
    (found,) = verified(folder, **options)
    return found


def files_of(folder):
    (files,) = chains_in(folder).values()
    return files


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """A record of several files, one of which ends with the line of a crash."""
    folder = tmp_path_factory.mktemp("record") / "audit"
    written(folder)
    with files_of(folder)[-1].open("ab") as last:
        last.write(b'{"number": 99, "torn')
    written(folder)
    assert len(files_of(folder)) > 4
    return folder


def changed(record, change):
    """The report of a copy of the record after a change of its files."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "audit"
        shutil.copytree(record, copy)
        change(files_of(copy))
        return report(copy)


@st.composite
def places(draw, record):
    """The index of a file, and of a byte in it."""
    files = files_of(record)
    index = draw(st.integers(0, len(files) - 1))
    return index, draw(st.integers(0, files[index].stat().st_size - 1))


def test_an_untouched_record_is_whole(record):
    """With its torn line, which is reported and breaks nothing."""
    found = report(record)

    assert ("", len(files_of(record))) == (found.broken, found.files)
    assert [True] == [text.endswith("jsonl: torn line, 20 bytes") for text in found.torn]
    assert anchor_of(record, found.chain).link == found.last


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.integers(1, 255))
def test_a_changed_byte_is_found_at_its_line(record, data, difference):
    """Whatever byte of whatever file; a changed end of a line may be found at the next one."""
    index, position = data.draw(places(record))
    before = files_of(record)[index].read_bytes()
    line = before[:position].count(b"\n") + 1

    def change(files):
        files[index].write_bytes(before[:position] + bytes([before[position] ^ difference]) + before[position + 1 :])

    broken = changed(record, change).broken
    last = index + 1 == len(files_of(record))
    following = f"{files_of(record)[0].name.split('.')[0]}.anchor" if last else files_of(record)[index + 1].name
    assert broken.startswith((f"{files_of(record)[index].name}, line {line}: ", following)), broken


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_removed_entry_is_found(record, data):
    """At the entry that is in its place, or at the anchor."""
    index = data.draw(st.integers(0, len(files_of(record)) - 1))
    lines = files_of(record)[index].read_bytes().splitlines(keepends=True)
    gone = data.draw(st.integers(0, len(lines) - 1))
    broken = changed(record, lambda files: files[index].write_bytes(b"".join(lines[:gone] + lines[gone + 1 :]))).broken

    assert broken.count(": ") >= 1
    assert any(word in broken for word in ("is missing", "was changed")), broken


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_two_swapped_entries_are_found_at_the_first(record, data):
    """Of one file or of two."""
    spots = [
        (index, line) for index, file in enumerate(files_of(record)) for line in range(file.read_bytes().count(b"\n"))
    ]
    one, other = sorted(data.draw(st.lists(st.sampled_from(spots), min_size=2, max_size=2, unique=True)))
    texts = [file.read_bytes().splitlines(keepends=True) for file in files_of(record)]
    texts[one[0]][one[1]], texts[other[0]][other[1]] = texts[other[0]][other[1]], texts[one[0]][one[1]]

    def change(files):
        for file, lines in zip(files, texts, strict=True):
            file.write_bytes(b"".join(lines))

    found = changed(record, change)
    assert found.broken.startswith(f"{files_of(record)[one[0]].name}, line {one[1] + 1}: entry "), found


@pytest.mark.parametrize("index", [0, 1, -1])
def test_a_removed_file_is_found(record, index):
    """The first one, one in the middle, and the last one, which only the anchor knows."""
    name = files_of(record)[index].name
    broken = changed(record, lambda files: files[index].unlink()).broken
    expected = {
        0: "the files before it are missing, and --anchor names none of them",
        1: f"{name}: the file is missing",
        -1: "is missing: the anchor is entry 2",
    }

    assert expected[index] in broken


def test_a_truncated_tail_is_found_even_if_the_service_goes_on(record, tmp_path):
    """By the anchor; the next process leaves the gap as it is."""
    folder = tmp_path / "audit"
    shutil.copytree(record, folder)
    last = files_of(folder)[-1]
    lines = last.read_bytes().splitlines(keepends=True)
    last.write_bytes(b"".join(lines[:-1]))
    gone = report(folder).last.number + 1
    before = report(folder).broken
    written(folder)

    assert f": entry {gone} is missing: the anchor is entry {gone}" in before
    assert f", line 1: entry {gone} is missing: entry {gone + 1} is in its place" in report(folder).broken


def test_a_chain_that_was_written_anew_needs_an_anchor_from_elsewhere(tmp_path):
    """An anchor on the same disk can be written anew as well; one that was kept shows it."""
    kept = report_of(tmp_path / "one").last.hash
    found = report_of(tmp_path / "two", entries=ENTRIES[1:])

    assert ("", set()) == (found.broken, set(report(tmp_path / "two", anchors=[kept]).kept))
    assert {kept} == set(report(tmp_path / "one", anchors=[kept]).kept)


def report_of(folder, **options):
    written(folder, **options)
    return report(folder)


def test_old_files_may_go_once_their_anchor_is_kept(record, tmp_path):
    """The rest is verified from there."""
    folder = tmp_path / "audit"
    shutil.copytree(record, folder)
    first, *others = files_of(folder)
    for file in others:
        file.rename(tmp_path / file.name)
    kept = report(folder).last.hash
    for file in others:
        (tmp_path / file.name).rename(file)
    first.unlink()

    assert "" == report(folder, anchors=[kept]).broken
    assert "files before it are missing" in report(folder, anchors=["0" * 64]).broken


def test_only_the_owner_reads_it(record):
    """The folder has mode 700, its files 600; a folder that is open to others is refused."""
    modes = {stat.S_IMODE(path.stat().st_mode) for path in record.iterdir()}

    assert (0o700, {0o600}) == (stat.S_IMODE(record.stat().st_mode), modes)


def test_a_folder_that_is_open_or_is_none_is_refused(tmp_path):
    """In one line that says what to do."""
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"open is open to others \(mode 755\): run chmod 700 on it$"):
        ChainWriter(tmp_path / "open")
    with pytest.raises(SettingsError, match=r"^the audit folder .*file cannot be used: File exists$"):
        ChainWriter(tmp_path / "file")


def test_each_process_has_a_chain_and_the_next_one_continues_it(tmp_path):
    """Two at once never write the same one."""
    first, second = ChainWriter(tmp_path / "audit"), ChainWriter(tmp_path / "audit")
    second.append(ENTRIES)
    first.append(ENTRIES)
    for writer in (first, second):
        writer.close()
    third = ChainWriter(tmp_path / "audit")
    third.close()
    reports = list(verified(tmp_path / "audit"))

    assert first.chain == third.chain != second.chain
    assert [("", 2, 11), ("", 1, 10)] == [(found.broken, found.files, found.last.number) for found in reports]


def test_a_day_has_its_own_file(tmp_path):
    """Whatever its size."""
    clock = Clock()
    writer = ChainWriter(tmp_path / "audit", clock=clock)
    writer.append(ENTRIES)
    clock.time = NOON + timedelta(days=1)
    writer.append(ENTRIES)
    writer.close()

    assert ("", 2, 20) == (found := report(tmp_path / "audit"), found.broken, found.files, found.last.number)[1:]


def test_a_full_disk_loses_nothing_that_was_written(tmp_path):
    """An entry is written as a whole or not at all, and the chain goes on once there is room."""
    writer = ChainWriter(tmp_path / "audit")
    writer.append(ENTRIES[:1])
    with full_disk(after=300), pytest.raises(OSError, match="File too large"):
        writer.append(ENTRIES)
    before = report(tmp_path / "audit")
    writer.append(ENTRIES[1:3])
    writer.close()

    assert [("", 2), ("", 4)] == [(one.broken, one.last.number) for one in (before, report(tmp_path / "audit"))]


def test_a_folder_that_is_replaced_is_noticed(tmp_path):
    """By a file, or by an empty folder: what is missing then stays visible."""
    folder = tmp_path / "audit"
    writer = ChainWriter(folder)
    writer.append(ENTRIES[:3])
    shutil.rmtree(folder)
    folder.write_text("")
    with pytest.raises((OSError, InputError)):
        writer.append(ENTRIES[:1])
    folder.unlink()
    folder.mkdir(mode=0o700)
    writer.append(ENTRIES[:1])
    writer.close()

    assert "000002.jsonl: the files before it are missing" in report(folder).broken
