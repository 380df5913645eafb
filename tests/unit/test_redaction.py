"""A secret in a setting is used but never shown: not by ``repr``, in no message, output or log."""

import base64
import json
import logging
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.cli.main import main
from gear_neo4j.errors import GearError, ModelError, SettingsError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.models.chat import Prompt
from gear_neo4j.models.openai import chat_model, open_chat
from gear_neo4j.models.remote_embeddings import RemoteEmbedder
from gear_neo4j.settings import Settings
from gear_neo4j.text.address import Address, Login
from gear_neo4j.text.redaction import redacted, without_login
from tests.scripted_server import ScriptedServer

SECRET = "tainted-7f3a91"
PROMPT = Prompt("", "Who?")


class Echo(BaseHTTPRequestHandler):
    """Refuses each request, and quotes the request in the message."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.authorizations.append(self.headers["Authorization"])
        payload = json.dumps({"error": {"message": f"refused {self.path} {self.headers['Authorization']}"}}).encode()
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format, *args):
        """Say nothing on standard error."""


@contextmanager
def echo():
    """A server that quotes its requests; returns its URL and the authorizations that it received."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.authorizations = []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}/v1", server.authorizations
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def shown(error):
    """Everything that a program which logs an error shows: its message, and those of its causes."""
    texts = []
    while error is not None:
        texts += [str(error), repr(error)]
        error = error.__cause__
    return "\n".join(texts)


def outcome(uri):
    """What is shown of a URI: its address, or why it is refused."""
    try:
        return repr(Address.of(uri, setting="NEO4J_URI"))
    except SettingsError as error:
        return shown(error)


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_login_in_a_url_is_taken_out_of_it(user, password):
    """With any content, written as %XX."""
    user, password = (text.encode("utf-8", "replace").decode() for text in (user, password))
    url = f"neo4j+s://{quote(user, safe='')}:{quote(password, safe='')}@db.example:7687?policy=eu"

    assert Address("neo4j+s://db.example:7687?policy=eu", Login(user, password)) == Address.of(url, setting="NEO4J_URI")


@given(st.text(st.one_of(st.sampled_from("@/:?#%[]\\ "), st.characters(exclude_categories=["Cs"]))))
def test_a_password_that_is_not_escaped_is_in_no_message_and_no_address(tail):
    """Slashes and other characters end the user info too early; then the URL is refused without being quoted."""
    for scheme in ("bolt", "neo4j+s"):
        uri = f"{scheme}://neo4j:{SECRET}{tail}@db.example"
        assert SECRET not in repr(Settings(uri=uri, openai_base_url=uri, embedding_url=uri))
        assert SECRET not in outcome(uri)


@pytest.mark.parametrize("url", ["neo4j:x@host", "bolt://neo4j:x@host:port", "bolt://neo4j:a/b@host", "://x@h", "@"])
def test_a_login_that_cannot_be_told_from_the_rest_is_refused_in_one_line(url):
    """It explains how to write a URL."""
    with pytest.raises(SettingsError, match=r"^NEO4J_URI cannot be used: it must be SCHEME://HOST:PORT, .* %XX$"):
        Address.of(url, setting="NEO4J_URI")


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "localhost:8000/v1",
        "bolt://[::1]:7687",
        "https://host/v1/@cf/model?a=b@c",
        "http://host:80",
        "neo4j://h/",
    ],
)
def test_a_url_without_a_login_stays_as_it_is(url):
    """Even with an @ in its path."""
    assert Address(url) == Address.of(url, setting="OPENAI_BASE_URL")


def test_messages_lose_the_user_info_of_urls():
    """Including messages of libraries that we quote; the rest stays."""
    text = f"cannot reach 'https://u:{SECRET}@host/v1?q=a@b' nor bolt://{SECRET}@[::1]:7687 as x@y.org says"

    expected = "cannot reach 'https://***@host/v1?q=a@b' nor bolt://***@[::1]:7687 as x@y.org says"
    assert expected == redacted(text) == str(GearError(text))
    assert "https://***@host/v1" == without_login(f"https://u:{SECRET}/x@host/v1")


def test_the_settings_show_no_secret():
    """Neither as a whole nor in a traceback; other values are shown."""
    settings = Settings(
        uri=f"bolt://neo4j:{SECRET}@db:7687",
        password=SECRET,
        embedding_url=f"https://{SECRET}@vectors/v1",
        embedding_key=SECRET,
        openai_base_url=f"https://u:{SECRET}@models/v1",
        openai_api_key=SECRET,
        chat_model="m",
    )

    for text in (repr(settings), str(settings), f"{settings}"):
        assert SECRET not in text
        assert "uri='bolt://***@db:7687'" in text
        assert "openai_base_url='https://***@models/v1'" in text
        assert "chat_model='m'" in text


@pytest.mark.parametrize(
    "login",
    [
        {"username": "neo4j", "password": f"other {SECRET}"},
        {"username": "ann", "password": None},
    ],
)
def test_two_logins_that_differ_are_refused(login):
    """The intended one is unknown; the message names the settings, not their values."""
    with pytest.raises(SettingsError, match="NEO4J_URI holds another user or password") as caught:
        Database.connect(f"bolt://bob:{SECRET}@127.0.0.1:1", **login)

    assert SECRET not in shown(caught.value)


@pytest.mark.parametrize("path", ["?a=b", "/path?x", "#x"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_driver_never_sees_the_login_in_a_uri(path):
    """Its messages quote the whole URI."""
    with pytest.raises(GearError) as caught:
        Database.connect(f"bolt://neo4j:{SECRET}@127.0.0.1:1{path}", username="neo4j", password=None)

    assert SECRET not in shown(caught.value)


def test_the_login_of_a_model_server_is_sent_and_not_shown(caplog):
    """In the header of each request, as if the HTTP library had read it from the URL."""
    caplog.set_level(logging.DEBUG)
    with echo() as (address, authorizations):
        settings = Settings(
            chat_model="m", openai_api_key=f"key {SECRET}", openai_base_url=f"http://ann:{SECRET}%21@{address}"
        )
        chat = open_chat(settings, cache=False)
        with pytest.raises(ModelError, match=r"refused /v1/chat/completions Basic \*\*\*") as caught:
            chat.ask(PROMPT, parse=str)

    assert [basic("ann", f"{SECRET}!")] == authorizations
    assert "HTTP Request" in caplog.text
    for text in (str(caught.value), repr(chat_model(settings)), repr(chat), caplog.text):
        assert SECRET not in text
        assert basic("ann", f"{SECRET}!") not in text


def test_a_key_that_a_server_quotes_is_not_shown(caplog):
    """Some servers repeat the refused key."""
    caplog.set_level(logging.DEBUG)
    with echo() as (address, authorizations):
        settings = Settings(chat_model="m", openai_api_key=SECRET, openai_base_url=f"http://{address}")
        with pytest.raises(ModelError, match=r"Bearer \*\*\*") as caught:
            open_chat(settings, cache=False).ask(PROMPT, parse=str)

    assert [f"Bearer {SECRET}"] == authorizations
    assert SECRET not in str(caught.value) + repr(chat_model(settings))


def test_the_login_of_an_embedding_server_is_sent_and_not_shown(caplog):
    """From the constructor or the settings."""
    caplog.set_level(logging.DEBUG)
    with echo() as (address, authorizations):
        embedder = RemoteEmbedder("m", url=f"http://ann:{SECRET}@{address}", key=SECRET)
        with pytest.raises(ModelError, match=r"refused /v1/embeddings Basic \*\*\*") as caught:
            embedder.embed(["text"])

    assert [basic("ann", SECRET)] == authorizations
    for text in (str(caught.value), repr(embedder), repr(embedder._client), caplog.text):
        assert SECRET not in text
        assert basic("ann", SECRET) not in text
    with pytest.raises(SettingsError, match="GEAR_EMBEDDING_URL is http://host/v1, and no model") as caught:
        RemoteEmbedder(None, url=f"http://ann:{SECRET}@host/v1")
    assert SECRET not in shown(caught.value)


def test_a_server_behind_a_login_answers():
    """Requests go to the URL without the login."""
    with ScriptedServer(lambda messages: "7") as server:
        settings = Settings(chat_model="m", openai_base_url=server.url.replace("://", f"://ann:{SECRET}@"))
        assert 7 == open_chat(settings, cache=False).ask(PROMPT, parse=int).value


@pytest.mark.parametrize("debug", [(), ("--debug",)])
@pytest.mark.parametrize(
    "command",
    [
        ("search", "Who?"),
        ("ask", "Who?", "--json"),
        ("doctor", "--json"),
        ("migrate", "--check"),
        ("status", "--json"),
        ("ingest", "corpus.jsonl"),
        ("search", "Who?", "--uri", f"bolt://{SECRET}:x/{SECRET}@127.0.0.1:1"),
        ("search", "Who?", "--uri", f"bolt://bob:{SECRET}2@127.0.0.1:1", "--password", f"3{SECRET}"),
        ("search", "Who?", "--uri", f"file://neo4j:{SECRET}@127.0.0.1"),
    ],
)
def test_no_command_shows_a_secret_if_no_server_answers(command, debug, monkeypatch, capsys, caplog, tmp_path):
    """Neither in output, error, log, nor traceback."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.jsonl").write_text('{"id": "p1", "title": "T", "text": "Text."}\n')
    for name, value in {
        "NEO4J_URI": f"bolt://neo4j:{SECRET}@127.0.0.1:1",
        "NEO4J_PASSWORD": SECRET,
        "GEAR_CHAT_MODEL": "m",
        "OPENAI_API_KEY": f"sk-{SECRET}",
        "OPENAI_BASE_URL": f"http://ann:{SECRET}@127.0.0.1:1/v1",
        "GEAR_EMBEDDING_MODEL": "m",
        "GEAR_EMBEDDING_URL": f"http://ann:{SECRET}@127.0.0.1:1/v1",
        "GEAR_EMBEDDING_KEY": f"sk-{SECRET}",
        "GEAR_HOME": str(tmp_path / "home"),
    }.items():
        monkeypatch.setenv(name, value)

    with pytest.raises(SystemExit):
        main([*debug, *command])

    printed = capsys.readouterr()
    assert SECRET not in printed.out + printed.err + caplog.text
