"""The process ``gear``: it ends at once without losing anything, and reports if its output cannot be written."""

import json
import os
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from gear_neo4j.errors import ExitCode
from tests import processes
from tests.processes import PIPE, RUN

CLOSED = (">&-", "2>&-", "<&-", ">&- 2>&- <&-")
# Modules of a command may have callbacks, threads and unwritten output that must not be lost.
LIVELY = """
import atexit, sys, threading, time
import gear_neo4j.cli.main as cli
class Garbage:
    def __init__(self): self.itself = self
    def __del__(self): print("found as garbage")
def main():
    atexit.register(print, "called at exit")
    threading.Thread(target=lambda: (time.sleep(0.2), print("from a thread"))).start()
    print("printed")
    Garbage()
    sys.exit(4)
cli.main = main
"""


def python(program, *arguments, **options):
    """A finished Python process."""
    return processes.run([sys.executable, "-c", program, *arguments], **options)


def test_it_leaves_once_all_is_done_and_frees_nothing():
    """Threads end, callbacks run, lines are written; the exit code is the command's."""
    done = python(LIVELY + RUN)

    assert (4, "") == (done.returncode, done.stderr)
    assert ["printed", "from a thread", "called at exit"] == done.stdout.splitlines()


def test_an_end_without_a_code_is_that_of_python():
    """For an error that no command raises."""
    done = python(LIVELY.replace("sys.exit(4)", "raise KeyError(4)") + RUN)

    assert 1 == done.returncode
    assert done.stderr.endswith("KeyError: 4\n")
    assert "found as garbage" in done.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["config"], ["config", "--json"], ["status"]])
def test_a_full_disk_is_one_line(arguments, tmp_path):
    """It is not a bug; if even the line cannot be written, the exit code tells."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        alone = python(RUN, *arguments, stdout=full, cwd=tmp_path)
        both = python(RUN, *arguments, stdout=full, stderr=full, cwd=tmp_path)

    assert ExitCode.ERROR == alone.returncode == both.returncode
    assert "gear: the output cannot be written: No space left on device\n" == alone.stderr


def test_a_reader_that_leaves_is_not_a_search_that_finds_nothing():
    """As in ``gear config | true``; grep ends the same way."""
    with processes.started(["true"], stdin=PIPE) as reader:
        reader.wait(60)
        done = python(RUN, "config", stdout=reader.stdin)

    assert (ExitCode.UNREAD, "") == (done.returncode, done.stderr)


def in_shell(program, rest):
    """A finished Python process whose streams were opened or closed by a shell."""
    command = f"exec {shlex.quote(sys.executable)} -c {shlex.quote(program)} {rest}"
    return processes.run(["bash", "-c", command])


@pytest.mark.parametrize("closed", CLOSED)
def test_a_stream_that_is_closed_is_no_error(closed):
    """As under a daemon or a job without streams."""
    done = in_shell(RUN, f"config {closed}")

    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize("closed", CLOSED)
def test_no_file_gets_the_descriptor_of_a_closed_stream(closed):
    """The line of an interrupt, written to descriptor 2, would go into that file."""
    opens = LIVELY.replace("sys.exit(4)", "import os; sys.exit(os.open(os.devnull, os.O_RDONLY))")

    assert 2 < in_shell(opens + RUN, closed).returncode < 70


@pytest.mark.parametrize("closed", CLOSED)
def test_without_a_terminal_nothing_is_confirmed(closed):
    """As in a script; it used to be reported as a bug."""
    asks = "from gear_neo4j.cli.confirm import can_ask; import sys; sys.exit(5 if can_ask() else 6)"

    assert 6 == in_shell(asks, closed).returncode


# Characters of every plane, and one of our own symbols.
LETTERS = 'Łódź é → 🜁 "'


def encoded(encoding, program, *arguments, read_as=None, **environment):
    """A finished Python process whose standard streams have an encoding."""
    variables = os.environ | {"PYTHONIOENCODING": encoding} | environment
    return processes.run((sys.executable, "-c", program, *arguments), env=variables, encoding=read_as or encoding)


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", LETTERS),
        ("cp1252", r'\u0141ód\u017a é -> \ud83d\udf01 "'),
        ("ascii", r'\u0141\u00f3d\u017a \u00e9 -> \ud83d\udf01 "'),
    ],
)
def test_a_stream_shows_what_it_can(encoding, shown):
    """Tables and errors replace characters that it lacks; this used to be a bug."""
    table = encoded(encoding, RUN, "config", GEAR_NAME=LETTERS, COLUMNS="200")
    error = encoded(encoding, RUN, "explain", LETTERS)

    assert (0, True) == (table.returncode, shown in table.stdout)
    assert ExitCode.ERROR == error.returncode
    assert f"gear: {shown}" in error.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_json_and_toml_lose_nothing(encoding):
    """If redirected to a file, they are UTF-8."""
    toml = (
        f"from gear_neo4j.cli.printing import say_toml; import tomli_w; say_toml(tomli_w.dumps({{'a': {LETTERS!r}}}))"
    )

    config = encoded(encoding, RUN, "config", "--json", read_as="utf-8", GEAR_NAME=LETTERS)

    assert LETTERS in [setting["value"] for setting in json.loads(config.stdout)]
    assert {"a": LETTERS} == tomllib.loads(encoded(encoding, toml, read_as="utf-8").stdout)


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}], ids=["C", "POSIX"])
def test_arguments_are_utf_8_in_a_locale_without_letters(locale, tmp_path):
    """So are paths; an ASCII stream stays one."""
    (tmp_path / "josé.env").write_text("GEAR_NAME=Łódź", encoding="utf-8")
    variables = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ} | locale
    command = [sys.executable, "-c", RUN, "config", "--chat-model", "José", "--env", "josé.env"]

    done = processes.run(command, env=variables, cwd=tmp_path, encoding="utf-8" if locale["LC_ALL"] == "C" else "ascii")

    names = ("José", "Łódź") if locale["LC_ALL"] == "C" else (r"Jos\u00e9", r"\u0141\u00f3d\u017a")
    assert (0, "") == (done.returncode, done.stderr)
    assert all(name in done.stdout for name in names)
