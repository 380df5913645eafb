"""The service for tests: its application in this process, or behind a real server on loopback."""

import json
import os
import threading
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from langchain_openai import ChatOpenAI
from starlette.testclient import TestClient

from gear_neo4j.models.chat import Chat
from gear_neo4j.web.app import create_app
from gear_neo4j.web.options import ServiceOptions
from gear_neo4j.web.running import config_of, listen
from tests.graphs import opened
from tests.processes import GEAR, PIPE, started
from tests.scripted_server import ScriptedServer
from tests.toy_model import ToyModel

HOST = "http://127.0.0.1"


@contextmanager
def scripted_gear(server, embedder, *, script=None, fault=lambda _number, _messages: None, slow=30.0):
    """A Gear whose chat model is a scripted server; returned with the server."""
    with ScriptedServer(script or ToyModel(), fault=fault, slow=slow) as model:
        chat = ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=60)
        with opened(server, embedder, chat=Chat(chat)) as gear:
            yield gear, model


def bearer(key):
    """The headers of a request with a key or a token."""
    return {"Authorization": f"Bearer {key}"}


@contextmanager
def client_of(gear, *, key=None, mounts=None, **options):
    """A client of the application in this process; an uncaught exception becomes a 500."""
    app = create_app(gear, options=ServiceOptions(**options), mounts=mounts)
    headers = bearer(key) if key else {}
    with TestClient(app, base_url=HOST, headers=headers, raise_server_exceptions=False) as client:
        yield client


@contextmanager
def served(gear, *, port=0, mounts=None, **options):
    """The application behind uvicorn on loopback, at a free port or a given one; yields its address and the server."""
    app = create_app(gear, options=ServiceOptions(**options), mounts=mounts)
    server = uvicorn.Server(config_of(app))
    with listen("127.0.0.1", port) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"{HOST}:{listener.getsockname()[1]}", server
        finally:
            server.should_exit = True
            thread.join(60)
            assert not thread.is_alive()


@contextmanager
def command(server, home, *options, **variables):
    """The command ``gear serve`` in a separate process: the process, and the URL that it prints."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GEAR_", "NEO4J_"))},
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
        "GEAR_HOME": str(home),
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "PYTHONUNBUFFERED": "1",
        **variables,
    }
    gear = [*GEAR, "serve", "--port", "0", *options]
    with started(gear, env=environment, stdout=PIPE, stderr=PIPE) as running:
        line = running.stdout.readline()
        assert " at http://127.0.0.1:" in line, running.communicate()
        yield running, line.split(" at ")[1].split(";")[0]


def events_in(text):
    """The server-sent events of a stream: their names and data."""
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            yield fields.get("event", ""), fields["data"]


def documents_in(text):
    """The server-sent events of a stream with their data as JSON."""
    return [(name, json.loads(data)) for name, data in events_in(text)]
