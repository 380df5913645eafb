"""How commands end, for scripts: the code of each kind of error; no command is missing from the tables."""

import re
import signal
import socket
from pathlib import Path

import pytest

from gear_neo4j.cli.main import cli, main
from gear_neo4j.errors import ExitCode, GearError
from gear_neo4j.server import local
from tests.commands import one_line
from tests.processes import GEAR, PIPE, started

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
QUESTION = "Who won the prize?"

# Arguments with which each command gets as far as opening a database.
SEARCHES = {
    ("search", QUESTION),
    ("paths", QUESTION),
    ("ask", QUESTION, "--chat-model", "any"),
    ("stats",),
    ("doctor",),
    ("migrate",),
    ("migrate", "--check"),
    ("adopt",),
    ("adopt", "--update"),
    ("release",),
    ("release", "--dry-run"),
    ("forget", "a.md"),
    ("collections",),
    ("readers",),
    ("readers", "a.md", "--everybody"),
    ("sources",),
    ("sources", "rename", "docs", "handbook"),
    ("usage",),
    ("templates",),
    ("templates", "run", "crimes-of-a-day"),
    ("communities", "build"),
    ("communities", "update"),
    ("communities", "show"),
    ("serve", "--port", "0"),
    ("ingest", "--extract", "model", "--dry-run"),
    ("sync", ".", "--dry-run"),
}
FILLS = {("ingest", "corpus.jsonl"), ("sync", "."), ("import", "nodes.csv"), ("demo",), ("evaluate", "data")}
SERVERS = {("down",), ("status",)}
WITHOUT_SERVER = {
    "audit",
    "up",
    "config",
    "cypher",
    "export",
    "compare",
    "calibrate",
    "explain",
    "keys",
    "mcp",
    "recipes",
    "help",
}

USAGE = {
    *((command, "--nosuch") for command in cli.commands),
    ("search",),
    ("search", QUESTION, "-k", "0"),
    ("ask",),
    ("paths",),
    ("forget",),
    ("sync",),
    ("readers", "--everybody"),
    ("readers", "a.md", "--everybody", "--set", "user:ada"),
    ("sources", "rename", "docs"),
    ("ingest", "a.md", "--widen"),
    ("import",),
    ("export", "x.jsonl"),
    ("explain",),
    ("compare", "a.json"),
    ("evaluate",),
    ("up", "--port", "0"),
    ("communities", "nosuch"),
    ("mcp", "--namespace", "a b"),
    ("mcp", "--public-url", "example.org"),
    ("cypher", "nosuch"),
    ("cypher", "--scoped"),
    ("cypher", "find_passages", "--search-clause", "--small-scope"),
    ("mcp", "--timeout", "0"),
    ("nosuch",),
    ("ingest",),
    ("ingest", "a.md", "--max-tokens", "9"),
    ("search", QUESTION, "--uri", ""),
    ("search", QUESTION, "--name", "a", "--uri", "bolt://localhost"),
    ("search", QUESTION, "--name", "a", "--database", "b"),
    ("adopt", "--vectors", "composed"),
    ("adopt", "graphiti"),
    ("recipes", "nosuch"),
    ("help", "nosuch"),
    ("help", "search", "nosuch"),
    ("search", QUESTION, "--set", "width"),
    ("search", QUESTION, "--set", "nosuch=1"),
    ("search", QUESTION, "--context", "9"),
    ("ask", QUESTION, "--context", "chapter"),
    ("templates", "add", "crimes-of-a-day"),
    ("templates", "run", "crimes-of-a-day", "--set", "day"),
    ("ingest", "https://example.org/a.html"),
    ("export", "https://example.org/a.html", "--admin-import", "out"),
    ("adopt", "--profile", "graphiti", "--update"),
    ("communities", "build", "--max-tokens", "9"),
    ("communities", "build", "--report", "--dry-run"),
    ("keys", "add"),
    ("keys", "add", "ada", "--rate", "often"),
    ("keys", "add", "ada", "--quota", "often"),
    ("keys", "add", "ada", "--quota", "requests_per_hour=9"),
    ("keys", "add", "ada", "--quota", "requests_per_day=0"),
    ("keys", "add", "ada", "--everything", "--principal", "user:ada"),
    ("serve", "--host", "0.0.0.0"),
    ("serve", "--allowed-host", "gear.example.org"),
    ("serve", "--port", "65536"),
    ("serve", "--audit-required"),
    ("audit", "verify", "nosuch"),
    ("audit", "verify", "."),
    ("audit", "export", ".", "--since", "yesterday"),
    ("serve", "--host", "192.0.2.1", "--keys-file", "."),
}


def ids(command):
    return " ".join(command)


@pytest.fixture
def gear(capsys, tmp_path, monkeypatch):
    """Run a command without any running server, with two local servers that were never started."""
    for name in ("first", "second"):
        (tmp_path / "home" / "servers" / name / "neo4j").mkdir(parents=True)
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "home"))
    for variable in ("NEO4J_URI", "GEAR_NAME", "GEAR_CHAT_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


def test_every_command_is_in_the_tables_above():
    """A new command must be added."""
    named = {command for command, *_ in SEARCHES | FILLS | SERVERS} | WITHOUT_SERVER

    assert set(cli.commands) == named


@pytest.mark.parametrize("command", sorted(USAGE), ids=ids)
def test_a_usage_error_ends_with_2(gear, command):
    """For every command, before anything is opened."""
    assert one_line(gear(*command), exit_code=ExitCode.ERROR)


@pytest.mark.parametrize("command", sorted(SEARCHES | SERVERS), ids=ids)
def test_a_mistyped_name_starts_no_server(gear, tmp_path, command):
    """The line lists the existing ones; nothing is created."""
    result = gear(*command, "--name", "nosuch")

    words = ("there is no local server 'nosuch'", "choose one of first, second with --name", "gear up --name nosuch")
    assert one_line(result, *words, exit_code=ExitCode.NO_SERVER)
    assert ["first", "second"] == sorted(path.name for path in (tmp_path / "home" / "servers").iterdir())


def test_without_any_server_the_line_says_how_to_create_one(gear, tmp_path, monkeypatch):
    """A first search on a new machine."""
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "new"))

    result = gear("search", QUESTION)

    assert one_line(result, "there is no local server 'default': create it with", exit_code=ExitCode.NO_SERVER)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize("command", sorted(SEARCHES), ids=ids)
def test_a_server_that_does_not_answer_ends_with_3(gear, command, scheme):
    """In every command; the driver's own log and the resolved addresses are left out."""
    result = gear(*command, "--uri", f"{scheme}://127.0.0.1:1")

    assert one_line(result, "no Neo4j server answers", exit_code=ExitCode.NO_SERVER)
    assert 1 == len(result[2].splitlines())
    assert "resolved" not in result[2]


@pytest.mark.parametrize("command", ["search", "ask", "paths"])
@pytest.mark.parametrize("question", ["", " \n\t"])
def test_an_empty_question_is_refused_before_a_server_is_reached(gear, command, question):
    """It used to start a stopped one."""
    result = gear(command, question, "--uri", "bolt://127.0.0.1:1")

    assert one_line(result, "the question is empty: ask something", exit_code=ExitCode.ERROR)


@pytest.mark.parametrize(
    "command",
    [
        ("ingest", "gone.md"),
        ("ingest", "--triples", "gone.jsonl"),
        ("sync", "gone"),
        ("import", "gone.csv"),
        ("evaluate", "gone"),
    ],
    ids=ids,
)
def test_a_path_that_leads_nowhere_starts_no_server(gear, tmp_path, command):
    """A mistyped path used to create a server and leave it running."""
    result = gear(*command, "--name", "third")

    assert one_line(result, command[-1], "does not exist", exit_code=ExitCode.ERROR)
    assert not (tmp_path / "home" / "servers" / "third").exists()


def test_commands_that_fill_a_server_do_so_on_one_that_does_not_answer(gear, tmp_path):
    """They end like the others if another server than a local one is given."""
    (tmp_path / "corpus.jsonl").write_text('{"id": "p", "title": "T", "text": "x"}\n')
    for command in (("ingest", "corpus.jsonl"), ("demo",)):
        result = gear(*command, "--uri", "bolt://127.0.0.1:1")
        assert one_line(result, "no Neo4j server answers", exit_code=ExitCode.NO_SERVER)


def test_an_option_wins_over_the_environment(gear, monkeypatch):
    """--name means the local server, whatever NEO4J_URI says."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")

    assert one_line(gear("stats", "--name", "nosuch"), "no local server 'nosuch'", exit_code=ExitCode.NO_SERVER)


def test_status_lists_servers_that_are_stopped(gear):
    """An existing server is not an error, running or not."""
    code, out, _ = gear("status")

    assert ExitCode.DONE == code
    assert out.count("stopped") == 2
    assert ExitCode.DONE == gear("status", "--name", "first")[0]
    assert ExitCode.DONE == gear("down", "--name", "first")[0]


@pytest.mark.parametrize("debug", [False, True])
def test_a_bug_has_a_code_of_its_own(gear, monkeypatch, debug):
    """It used to be 1, which means that nothing was found; only --debug shows its traceback."""
    monkeypatch.setattr(local, "servers", lambda home: {}[home])

    code, _, err = gear(*(["--debug"] if debug else []), "status")

    assert ExitCode.BUG == code
    assert "(a bug: run again with --debug and report it)" in err
    assert debug == ("Traceback" in err)


def test_under_debug_an_error_keeps_its_code(gear):
    """The traceback comes before the line."""
    code, _, err = gear("--debug", "stats", "--name", "nosuch")

    assert ExitCode.NO_SERVER == code
    assert "Traceback" in err
    assert err.splitlines()[-1].startswith("gear: there is no local server")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)]
)
def test_a_signal_ends_a_command_with_one_line_and_a_code_of_its_own(tmp_path, number, code):
    """While a server does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        address = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        with (
            started([*GEAR, "stats", "--uri", address], stderr=PIPE, cwd=tmp_path) as process,
            silent.accept()[0],
        ):
            process.send_signal(number)
            err = process.communicate()[1]

    assert code == process.returncode
    assert "Traceback" not in err
    assert err.endswith("gear: interrupted; committed work is kept, run the same command again to resume\n")


def test_the_page_on_the_command_line_lists_every_code():
    """With the number that scripts see."""
    rows = re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert [str(code.value) for code in ExitCode] == rows


def test_every_error_has_one_of_the_codes():
    """None of them ends like a success, an interrupt or a bug."""

    def below(kind):
        return [kind, *(descendant for child in kind.__subclasses__() for descendant in below(child))]

    codes = {kind.__name__: kind.exit_code for kind in below(GearError) if kind.__module__ == GearError.__module__}

    assert set(codes.values()) == {ExitCode.NOTHING_FOUND, ExitCode.ERROR, ExitCode.NO_SERVER, ExitCode.PARTIAL}
    assert ExitCode.ERROR == codes["GearError"] == codes["SettingsError"] == codes["AuthenticationFailed"]
    assert ExitCode.NO_SERVER == codes["ServerUnavailable"] == codes["LocalServerError"] == codes["NoLocalServer"]
