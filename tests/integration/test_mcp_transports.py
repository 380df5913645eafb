"""The MCP server as hosts use it: as a process on standard input and output, and over HTTP."""

import json
import os
import socket
import sys
import threading
import time
from contextlib import contextmanager

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import ServerUnavailable, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.mcp.http import mounted
from gear_neo4j.mcp.server import make_server
from tests.graphs import opened
from tests.integration.test_mcp import chat_over, running
from tests.mcp_client import Watched, server_over, talk
from tests.processes import GEAR, RUN, run
from tests.scripted_server import ScriptedServer
from tests.toy_model import ToyModel

pytestmark = pytest.mark.one_server_line

KEY, OTHER = "0123456789abcdef", "fedcba9876543210"


@pytest.fixture
def graph(database, embedder):
    """Two passages that state a triple each, one of them restricted."""
    graph = Graph(database)
    passages = [Passage("open", "Ada", "Ada lives in Elbe."), Passage("hidden", "Bo", "Bo.", readers=("group:hr",))]
    facts = [make_triple("open", "Ada", "lives in", "Elbe"), make_triple("hidden", "Bo", "knows", "Ada")]
    write_passages(graph, passages, embedder=embedder)
    write_triples(graph, facts, completed=["open", "hidden"], embedder=embedder)
    return graph


@pytest.fixture
def environment(server, home):
    """The environment that a host gives the process."""
    return {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
        "NEO4J_URI": server.uri,
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password,
        "GEAR_HOME": str(home),
        "OMP_NUM_THREADS": "1",
    }


def test_a_host_starts_it_as_a_process(graph, environment, tmp_path):
    """Options may be in the environment, too; standard output carries only the protocol."""
    prefixed = {**environment, "GEAR_MCP_NAMESPACE": "docs", "GEAR_MCP_MAX_CHARS": "1000"}
    command = StdioServerParameters(
        command=sys.executable, args=["-c", RUN, "mcp", "--as", "user:ada"], env=prefixed, cwd=tmp_path
    )

    async def work(client):
        tools = [tool.name for tool in (await client.list_tools()).tools]
        results = [await client.call_tool("docs_fetch", {"id": id}) for id in ("open", "hidden")]
        return tools, (await client.call_tool("docs_status")).structured_content, results

    tools, status, (open_, hidden) = talk(command, work)

    assert ["docs_search", "docs_fetch", "docs_paths", "docs_status"] == tools
    assert (1, 1, 2) == (status["passages"], status["triples"], status["entities"])
    assert "Ada lives in Elbe." == open_.structured_content["text"]
    assert "there is no passage with that id" in hidden.content[0].text


def test_a_process_ends_when_its_host_goes(graph, environment, tmp_path):
    """When its input ends; nothing is left behind, and nothing was written to either output."""
    ended = run([*GEAR, "mcp"], env=environment, cwd=tmp_path)

    assert (0, "", "") == (ended.returncode, ended.stdout, ended.stderr)


@contextmanager
def serving(app):
    """Serve an application on a local port; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=5))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join()


def application(server, *, middleware=(), **names):
    """A host application of the server."""
    part = mounted(server, **names)
    return Starlette(routes=[Route("/mcp", part.app)], middleware=middleware, lifespan=lambda _: part.lifespan())


def talk_to(url, work, *, key=None, mode="auto"):
    """The result of ``work`` with a client over HTTP."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def run():
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            return await work(client)

    return anyio.run(run)


def fetched(id):
    return lambda client: client.call_tool("fetch", {"id": id})


class Login:
    """Middleware of a host: it identifies the sender of a request, and stores the name in the request's scope."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            scope.setdefault("state", {})["user"] = dict(scope["headers"]).get(b"authorization", b"").decode()
        await self.app(scope, receive, send)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_in_a_host_application_each_request_gets_the_view_of_its_sender(server, graph, embedder, mode):
    """One server for all: resources, too, depend on the sender of each request, not on the one before."""

    def gear_for(request):
        if request.state.user not in views:
            raise SettingsError("who are you?")
        return views[request.state.user]

    async def work(client):
        (content,) = (await client.read_resource("gear://status")).contents
        return json.loads(content.text)["passages"], (await fetched("hidden")(client)).is_error

    async def anonymous(client):
        return (await client.call_tool("status")).content[0].text

    app = application(make_server(gear_for), middleware=[Middleware(Login)])
    with opened(server, embedder) as gear, serving(app) as url:
        views = {
            f"Bearer {KEY}": gear.scoped(principals=["group:hr"]),
            f"Bearer {OTHER}": gear.scoped(principals=["user:ada"]),
        }
        seen = [talk_to(url, work, key=key, mode=mode) for key in (KEY, OTHER, KEY)]
        refusal = talk_to(url, anonymous, mode=mode)

    assert [(2, False), (1, True), (2, False)] == seen
    assert "who are you?" in refusal


def test_over_http_what_the_database_says_is_for_the_log(caplog):
    """Any holder of a key may be calling, and addresses must not leak."""

    def gear_for(_request):
        raise ServerUnavailable("no Neo4j server answers: Couldn't connect to db.internal:7687")

    async def work(client):
        with pytest.raises(MCPError) as refused:
            await client.read_resource("gear://status")
        return str(refused.value), (await client.call_tool("status")).content[0].text

    with serving(application(make_server(gear_for))) as url:
        told = talk_to(url, work)

    assert all("the database cannot answer now" in text and "db.internal" not in text for text in told)
    assert 2 == caplog.text.count("db.internal")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example.org"}, 421),
        ({"Origin": "https://evil.example.org"}, 403),
        ({"Host": "gear.example.org"}, 200),
        ({"Host": "gear.example.org:8765", "Origin": "https://chat.example.org"}, 200),
        ({"Origin": "http://localhost:3000"}, 200),
    ],
)
def test_a_page_elsewhere_does_not_reach_a_server_on_this_machine(headers, status):
    """Other hosts and origins have to be listed when the server is created."""
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    app = application(make_server(lambda _: None), hosts=["gear.example.org"], origins=["https://chat.example.org"])

    with serving(app) as url:
        assert status == httpx2.post(url, json=body, headers={**accepted, **headers}).status_code


def test_a_body_of_more_than_a_mebibyte_is_refused():
    """Before it is parsed."""
    with serving(application(make_server(lambda _: None))) as url:
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        assert 413 == httpx2.post(url, content=b" " * (1024 * 1024 + 1), headers=headers).status_code


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_goes_away_ends_its_answer(server, graph, embedder, mode):
    """No further call of the model begins once the current one has returned."""
    begun, release = threading.Event(), threading.Event()

    def slow(messages):
        begun.set()
        release.wait(10)
        return ToyModel()(messages)

    async def work(client):
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "ask", {"question": "Where does Ada live?"})
                await anyio.to_thread.run_sync(begun.wait)
                scope.cancel()

    with ScriptedServer(slow) as model, opened(server, embedder, chat=chat_over(model)) as gear:
        watched = Watched(gear)
        with serving(application(server_over(watched, has_model=True))) as url:
            talk_to(url, work, mode=mode)
            assert watched.flag.wait(10)
            release.set()
            deadline = time.monotonic() + 10
            while running() and time.monotonic() < deadline:
                time.sleep(0.02)

            assert not running()
        assert 1 == len(model.requests)
