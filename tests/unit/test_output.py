"""Output paths are checked before the work begins."""

import os
import sys

import pytest

from gear_neo4j.cli.main import main
from gear_neo4j.cli.output import require_folder, require_writable
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.evaluate.report import require_extra
from gear_neo4j.text.files import write_file
from tests.commands import one_line


@pytest.fixture
def gear(capsys, tmp_path, monkeypatch):
    """Run a command without a server; it must end before it connects."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "home"))

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


def test_a_file_that_can_be_written_is_left_as_it_is(tmp_path):
    """The check creates and truncates nothing."""
    (tmp_path / "old.json").write_text("old")

    for file in (None, tmp_path / "old.json", tmp_path / "new.json"):
        require_writable(file)
    for folder in (None, tmp_path, tmp_path / "a" / "b"):
        require_folder(folder)

    assert [tmp_path / "old.json"] == list(tmp_path.iterdir())
    assert "old" == (tmp_path / "old.json").read_text()


def test_a_path_that_cannot_be_written_is_refused(tmp_path):
    """The message names the file and the obstacle."""
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="is a folder: choose a file"):
        require_writable(tmp_path)
    with pytest.raises(InputError, match=r"x.json cannot be written: there is no folder .*gone"):
        require_writable(tmp_path / "gone" / "x.json")
    with pytest.raises(InputError, match=r"x.json cannot be written: there is no folder .*file"):
        require_writable(tmp_path / "file" / "x.json")
    with pytest.raises(InputError, match=r"cannot be written: .*file is not a folder"):
        require_folder(tmp_path / "file" / "report")


def test_a_write_that_fails_after_all_is_one_line(tmp_path):
    """The folder was deleted meanwhile."""
    with pytest.raises(InputError, match=r"x.json cannot be written: No such file or directory"):
        write_file(tmp_path / "gone" / "x.json", "text")


def test_a_name_that_no_system_takes_is_one_line(tmp_path):
    """It is too long."""
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        require_writable(tmp_path / ("x" * 300))
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        require_folder(tmp_path / ("x" * 300))


def test_permissions_are_looked_at(tmp_path, monkeypatch):
    """Of an existing file, or of the folder for a new one; root may write anywhere, so the system's answer is faked."""
    (tmp_path / "there.json").write_text("")
    monkeypatch.setattr(os, "access", lambda path, _mode: path == tmp_path / "there.json")

    require_writable(tmp_path / "there.json")
    with pytest.raises(InputError, match="permission denied"):
        require_writable(tmp_path / "new.json")
    with pytest.raises(InputError, match="permission denied"):
        require_folder(tmp_path / "new")


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "DATA", "--json", "gone/x.json"),
        ("evaluate", "DATA", "--report", "file/report"),
        ("ask", "Who?", "--trace", "gone/x.json"),
        ("communities", "show", "--html", "gone/x.html"),
        ("explain", "run.json", "--out", "file/out"),
        ("export", "corpus.jsonl", "--admin-import", "file/out"),
    ],
)
def test_commands_refuse_a_bad_path_before_any_work(gear, tmp_path, monkeypatch, command):
    """Data set, server and model are all missing; later checks would report those."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")

    assert one_line(gear(*command), command[-1], "cannot be written")


def test_calibrate_refuses_a_home_that_is_a_file_before_any_work(gear, tmp_path, monkeypatch):
    """The thresholds are stored there."""
    (tmp_path / "file").write_text("")
    (tmp_path / "pairs.jsonl").write_text("")
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "file"))

    assert one_line(gear("calibrate", tmp_path / "pairs.jsonl"), "cannot be written", "is not a folder")


def test_a_report_without_its_extra_is_refused_before_any_work(gear, tmp_path, monkeypatch):
    """A table may take hours."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(SettingsError, match=r"pip install 'gear-neo4j\[report\]'"):
        require_extra()
    assert one_line(gear("evaluate", tmp_path / "gone", "--report", tmp_path / "report"), "[report]")
