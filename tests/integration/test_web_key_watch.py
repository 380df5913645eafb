"""Keys that are revoked while their requests run: every stream, answer and upload ends with an error that says why."""

import json
import threading
from contextlib import contextmanager

import httpx
import pytest

from gear_neo4j.mcp.http import mounted
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.server import make_server
from gear_neo4j.web.app import Mount
from gear_neo4j.web.keys import add_key, revoke_key
from tests.toy_model import QUESTION, ToyModel
from tests.uploads import Gated, send
from tests.waiting import settle
from tests.web import documents_in, scripted_gear, served

pytestmark = pytest.mark.one_server_line

PATIENCE = 60
REVOKED = "the key of this request was revoked or restricted while it ran: ask for a new one"
ASK = {"question": QUESTION}
CHAT = {"model": "gear-gear", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ask", "arguments": ASK}}
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


class Held:
    """A toy model that does not reply until a test releases it."""

    def __init__(self):
        self.toy = ToyModel()
        self.released = threading.Event()

    def __call__(self, messages):
        assert self.released.wait(PATIENCE)
        return self.toy(messages)


@contextmanager
def service(server, file):
    """A service with MCP whose models wait: its URL, its parts, the language model, and the embedding model."""
    part = mounted(make_server(lambda request: request.user.gear, options=ServerOptions(has_model=True)))
    model, embedder = Held(), Gated()
    mounts = {"/mcp": Mount(part.app, part.lifespan)}
    options = {"keys_file": file, "asks": 9, "uploads_folder": file.parent / "uploads"}
    with (
        scripted_gear(server, embedder, script=model) as (gear, _),
        served(gear, mounts=mounts, **options) as (url, running),
    ):
        try:
            yield url, running.config.app.state.service, model, embedder
        finally:
            embedder.released.set()
            model.released.set()


class Asked:
    """A request in a separate thread: the status and the text of its response, once it has ended."""

    def __init__(self, url, key, method, path, **sent):
        self.headers = {"X-API-Key": key, **sent.pop("headers", {})}
        self.status, self.text = 0, ""
        self.thread = threading.Thread(target=self._ask, args=(method, url + path), kwargs=sent)
        self.thread.start()

    def _ask(self, method, url, **sent):
        with httpx.stream(method, url, headers=self.headers, timeout=PATIENCE, **sent) as response:
            self.status = response.status_code
            self.text = response.read().decode()

    def ended(self):
        """The last event of the stream."""
        self._join()
        return documents_in(self.text)[-1]

    def refused(self):
        """The status, and why."""
        self._join()
        return self.status, json.loads(self.text)["detail"]

    def _join(self):
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


def slow_body(gate):
    yield b"--x\r\n"
    gate.wait(PATIENCE)
    yield b"--x--\r\n"


def test_whatever_waits_ends_with_its_key(corpus, server, tmp_path):
    """Streams end with a last event of their protocol, other requests with 401; those of other keys continue."""
    file, gate = tmp_path / "keys.json", threading.Event()
    key = add_key(file, "mallory", everything=True, writes=True)
    other = add_key(file, "ada", everything=True)
    with service(server, file) as (url, parts, model, embedder):
        with httpx.Client(base_url=url) as client:
            job = send(client, {"g.txt": b"gate"}, headers={"X-API-Key": key}).headers["location"]
        assert embedder.waits.wait(PATIENCE)
        streams = [
            Asked(url, key, "POST", "/api/ask", json={**ASK, "stream": True}),
            Asked(url, key, "POST", "/v1/chat/completions", json=CHAT),
            Asked(url, key, "GET", f"{job}/events"),
            Asked(url, key, "POST", "/mcp", json=CALL, headers=MCP),
            Asked(url, key, "GET", "/mcp", headers=MCP),
        ]
        waiting = Asked(url, key, "POST", "/api/ask", json=ASK)
        upload = {"Content-Type": "multipart/form-data; boundary=x"}
        sending = Asked(url, key, "POST", "/api/documents", content=slow_body(gate), headers=upload)
        going_on = Asked(url, other, "POST", "/api/ask", json={**ASK, "stream": True})
        assert settle(lambda: all(asked.status for asked in (*streams, going_on)), PATIENCE)
        assert settle(lambda: (parts.asks.running, parts.uploads._value) == (4, parts.options.uploads - 1), PATIENCE)
        revoke_key(file, "mallory")
        ask, chat, events, call, listening = [asked.ended() for asked in streams]
        given_up = settle(lambda: parts.uploads._value == parts.options.uploads, PATIENCE)
        gate.set()
        refused = [asked.refused() for asked in (waiting, sending)]
        model.released.set()
        last = going_on.ended()
        free = settle(lambda: parts.asks.running == 0, PATIENCE)

    assert ("error", 401, REVOKED) == (ask[0], ask[1]["status"], ask[1]["detail"])
    assert ("error", 401, REVOKED) == (events[0], events[1]["status"], events[1]["detail"])
    assert ("authentication_error", REVOKED) == (chat[1]["error"]["type"], chat[1]["error"]["message"])
    assert [("message", REVOKED)] * 2 == [(name, data["error"]["message"]) for name, data in (call, listening)]
    assert [(401, REVOKED)] * 2 == refused
    assert "answer" == last[0]
    assert given_up
    assert free
