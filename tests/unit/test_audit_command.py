"""``gear audit``: what it prints of a record, and how it ends."""

import json

import pytest

from gear_neo4j.cli.main import main
from gear_neo4j.web.audit.writing import ChainWriter
from tests.commands import one_line

ADA, BOB = {"key": "ada", "id": "1"}, {"issuer": "https://id.test", "subject": "7", "name": "bob@example.org"}


@pytest.fixture
def gear(capsys):
    """Run a command; returns its exit code, its output and its error output."""

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


@pytest.fixture
def folder(tmp_path):
    """Two chains with three entries."""
    first, second = (ChainWriter(tmp_path / "audit") for _ in range(2))
    first.append([{"who": ADA, "kind": "search"}])
    second.append([{"who": BOB, "kind": "search"}])
    first.append([{"who": ADA, "kind": "passage"}])
    for writer in (first, second):
        writer.close()
    return tmp_path / "audit"


def test_a_whole_record_has_a_line_for_each_chain(gear, folder):
    """And contains the anchors that it prints itself."""
    _, anchors, _ = gear("audit", "anchor", folder)
    hashes = [line.split()[2] for line in anchors.splitlines()]
    code, out, err = gear("audit", "verify", folder, *(f"--anchor={hash}" for hash in hashes))

    assert ["3", "2"] == [line.split()[1] for line in anchors.splitlines()]
    assert (0, "") == (code, err)
    assert [["whole, 3 entries in 1 file"], ["whole, 2 entries in 1 file"]] == [
        line.split(": ")[1:] for line in out.splitlines()
    ]


def test_a_broken_chain_is_named_with_its_place(gear, folder):
    """With exit code 2; the other chains are verified all the same."""
    file = min(folder.glob("*.jsonl"))
    file.write_text(file.read_text().replace('"passage"', '"search"'))
    code, out, err = gear("audit", "verify", folder)

    assert 2 == code
    assert f"broken, {file.name}, line 3: entry 3 was changed" in out.splitlines()[0]
    assert "whole, 2 entries" in out.splitlines()[1]
    assert "gear: 1 of 2 chains is broken\n" == err


def test_an_anchor_that_is_not_there_is_an_error(gear, folder, tmp_path):
    """So is a folder without a chain."""
    code, out, err = gear("audit", "verify", folder, "--anchor", "0" * 64)
    (tmp_path / "empty").mkdir()

    assert (2, 2) == (code, out.count("whole"))
    assert f"gear: no chain has the anchor {'0' * 64}: entries were removed or written anew\n" == err
    assert one_line(
        gear("audit", "verify", tmp_path / "empty"), "holds no chain: name the folder of gear serve --audit"
    )


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (("--who", "ada"), ["search", "passage"]),
        (("--who", "bob@example.org"), ["search"]),
        (("--who", "7"), ["search"]),
        (("--until", "2020-01-01"), []),
        (("--since", "2020-01-01", "--who", "nobody"), []),
    ],
)
def test_entries_are_exported_by_who_and_time(options, kinds, gear, folder):
    """As lines of JSON with their chain."""
    code, out, _ = gear("audit", "export", folder, *options)
    entries = [json.loads(line) for line in out.splitlines()]

    assert (0, kinds) == (code, [entry["kind"] for entry in entries])
    assert all(entry["chain"] and entry["hash"] for entry in entries)


def test_all_entries_are_exported_in_the_order_of_their_times(gear, folder):
    """Those of all chains together."""
    _, out, _ = gear("audit", "export", folder)
    times = [json.loads(line)["time"] for line in out.splitlines()]

    assert (5, sorted(times)) == (len(times), times)
