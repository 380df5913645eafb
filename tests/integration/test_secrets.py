"""No command shows a secret, whether the servers accept it or refuse it."""

import json
import logging
from urllib.parse import quote

import pytest

from gear_neo4j import Gear
from gear_neo4j.errors import AuthenticationFailed
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.settings import Settings
from tests.commands import one_line
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line

SECRET = "tainted-7f3a91"


def with_login(server, user, password):
    """The URI of the tests' server with a login in it."""
    return server.uri.replace("://", f"://{user}:{quote(password or '', safe='')}@")


@pytest.fixture
def by_uri(server, gear, monkeypatch):
    """Run a command whose only login is in NEO4J_URI."""
    monkeypatch.setenv("NEO4J_URI", with_login(server, server.username, server.password))
    monkeypatch.delenv("NEO4J_USERNAME")
    monkeypatch.delenv("NEO4J_PASSWORD")
    return gear


def test_the_login_in_a_uri_is_used(server):
    """The driver itself refuses such a URI."""
    uri = with_login(server, server.username, server.password)

    with Database.connect(uri, username="neo4j", password=None) as database:
        assert database.version
    with Database.connect(uri, username=server.username, password=server.password) as database:
        assert database.version
    with Gear.connect(Settings(uri=uri)) as gear:
        assert gear.graph.name


def test_a_wrong_login_in_a_uri_is_refused_as_any_other(server):
    """The message says what to check."""
    with pytest.raises(AuthenticationFailed, match="check NEO4J_USERNAME") as caught:
        Database.connect(with_login(server, "ann", SECRET), username="neo4j", password=None)

    assert SECRET not in f"{caught.value} {caught.value.__cause__!r}"


def test_commands_that_succeed_show_no_secret(server, by_uri, folder, monkeypatch, capsys, caplog):
    """A password in the URI, a login in the model's URL, and a key; all are used."""
    caplog.set_level(logging.DEBUG)
    with ScriptedServer(lambda messages: f"no JSON {len(messages)}") as model:
        monkeypatch.setenv("GEAR_CHAT_MODEL", "toy")
        monkeypatch.setenv("OPENAI_BASE_URL", model.url.replace("://", f"://ann:{SECRET}@"))
        monkeypatch.setenv("OPENAI_API_KEY", f"sk-{SECRET}")
        commands = [
            ("ingest", folder, "--json"),
            ("--log-queries", folder / "queries.log", "search", "Who wrote a thesis?", "--json"),
            ("ask", "Who wrote a thesis?", "--no-cache", "--trace", folder / "trace.json"),
            ("doctor", "--json"),
            ("migrate", "--check"),
            ("--debug", "search", "Who wrote a thesis?", "--paths"),
            ("status", "--json"),
        ]
        outcomes = [by_uri(*command) for command in commands]
        assert model.requests

    written = "".join((folder / name).read_text() for name in ("queries.log", "trace.json"))
    assert {0, 2} >= {code for code, _, _ in outcomes}
    assert "p2" in json.dumps(outcomes)
    for secret in filter(None, (SECRET, server.password)):
        assert secret not in json.dumps(outcomes) + written + caplog.text


@pytest.mark.parametrize("debug", [(), ("--debug",)])
@pytest.mark.parametrize("command", [("search", "Who?"), ("doctor", "--json"), ("migrate", "--check")])
def test_commands_that_are_refused_show_no_secret(server, gear, monkeypatch, caplog, command, debug):
    """A wrong login, in the URI or outside; its user does not exist, because the server locks users that do."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("NEO4J_USERNAME", "ann")
    monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
    beside = gear(*debug, *command)
    monkeypatch.delenv("NEO4J_PASSWORD")
    within = gear(*debug, *command, "--uri", with_login(server, "ann", SECRET))

    if not debug:
        assert one_line(beside, "check NEO4J_USERNAME and NEO4J_PASSWORD")
        assert one_line(within, "check NEO4J_USERNAME and NEO4J_PASSWORD")
    assert SECRET not in json.dumps([beside, within]) + caplog.text
