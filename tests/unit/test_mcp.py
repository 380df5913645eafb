"""The MCP server without a database: it lists its tools at once, fits results into limits, and bounds calls."""

import json
import sys
import threading
from functools import partial
from types import SimpleNamespace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.cancellation import cancelled
from gear_neo4j.domain import Path, make_triple
from gear_neo4j.errors import GearError, SettingsError
from gear_neo4j.mcp.calls import CALLS, call_limiter
from gear_neo4j.mcp.encode import encode_connected
from gear_neo4j.mcp.fitting import compact, fitted
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.results import FetchResult, FoundPassage, FoundPath, Metadata, SearchResult, Triple
from gear_neo4j.mcp.server import make_server
from gear_neo4j.retrieval.paths import PathResult
from tests.mcp_client import talk
from tests.processes import PIPE, started
from tests.unit.test_first_contact import HEAVY

# Imports that the SDK itself needs.
SDK = {"pydantic", "rich"}
DISCOVERY = """
import io, json, sys
from gear_neo4j.cli.main import main
try:
    main(["mcp"])
finally:
    sys.stderr.write(json.dumps(sorted(sys.modules)))
"""
REQUESTS = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
    {"id": 3, "method": "prompts/list"},
    {"id": 4, "method": "resources/list"},
]


def test_what_is_offered_is_said_before_anything_heavy_is_loaded(tmp_path, monkeypatch):
    """Neither a model, the driver nor LangChain, because hosts give a server ten seconds to start."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    lines = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in REQUESTS)
    command = [sys.executable, "-c", DISCOVERY]

    with started(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=tmp_path) as server:
        server.stdin.write(lines)
        server.stdin.flush()
        # A client disconnects only after its replies.
        replies = [json.loads(server.stdout.readline()) for request in REQUESTS if "id" in request]
        _, said = server.communicate()

    replies = {reply["id"]: reply["result"] for reply in replies}
    assert 0 == server.returncode
    assert {"search", "fetch", "paths", "status"} == {tool["name"] for tool in replies[2]["tools"]}
    assert ["multi_hop"] == [prompt["name"] for prompt in replies[3]["prompts"]]
    modules = set(json.loads(said))
    assert set() == modules & HEAVY - SDK
    assert "gear_neo4j.gear.front" not in modules


FIRST_CALL = """
import json, sys, threading
from gear_neo4j.cli.main import main

class Watch:
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is threading.main_thread():
            names.add(name)

names = set()
sys.meta_path.insert(0, Watch())
try:
    main(["mcp"])
finally:
    sys.stderr.write(json.dumps([sorted(names), sorted(sys.modules)]))
"""


def test_the_first_call_imports_in_a_thread(tmp_path, monkeypatch):
    """So the server can still answer, and notice cancelled calls."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    call = {"id": 9, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "Who?"}}}
    command = [sys.executable, "-c", FIRST_CALL]
    with started(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=tmp_path) as process:
        for request in (*REQUESTS[:2], call):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
            process.stdin.flush()
        replies = [json.loads(process.stdout.readline()) for _ in range(2)]
        by_the_loop, loaded = json.loads(process.communicate()[1])

    assert "no Neo4j server answers: Couldn't connect to 127.0.0.1:1" in replies[1]["result"]["content"][0]["text"]
    assert {"neo4j", "numpy"} <= set(loaded)
    assert set() == set(by_the_loop) & HEAVY - SDK


def test_a_server_without_the_extra_names_it(monkeypatch, capsys):
    """In the line that a host shows."""
    from gear_neo4j.cli import mcp
    from gear_neo4j.cli.main import main

    monkeypatch.setattr(mcp, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        main(["mcp"])

    printed = capsys.readouterr()
    assert (2, "") == (ended.value.code, printed.out)
    assert "gear: the MCP server needs the extra: pip install 'gear-neo4j[mcp]'\n" == printed.err


# Limits


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
HITS = st.builds(
    FoundPassage,
    id=TEXT,
    title=TEXT,
    url=TEXT,
    text=TEXT,
    score=st.floats(0, 1),
    rank=st.integers(1, 50),
    sources=st.just([]),
)
PATHS = st.builds(FoundPath, text=TEXT, score=st.floats(0, 1), passage_ids=st.lists(TEXT, max_size=2))
SEARCHES = st.builds(
    SearchResult, results=st.lists(HITS, max_size=9), paths=st.lists(PATHS, max_size=9), exact=st.just(True)
)


@given(SEARCHES, st.integers(100, 3_000))
def test_a_result_loses_paths_first_and_then_the_last_passages(result, most):
    """As many items stay as fit; results that fit are unchanged."""
    actual = fitted(result, parts=("paths", "results"), most=most)

    assert len(compact(actual)) <= most
    assert actual.results == result.results[: len(actual.results)]
    assert actual.paths == result.paths[: len(actual.paths)]
    assert actual.truncated == (actual != result)
    if actual.results != result.results:
        assert [] == actual.paths
        whole = actual.model_copy(update={"results": result.results[: len(actual.results) + 1]})
        assert len(compact(whole)) > most or whole.results == result.results
    assert actual.model_dump() == json.loads(compact(actual))


def test_a_text_is_cut_after_the_list_beside_it():
    """The passage matters more than its triples."""
    triples = [Triple(subject="Ada", predicate="knows", object=f"Bo {number}") for number in range(9)]
    whole = FetchResult(
        id="p", title="T", text='"' * 500, url="u", metadata=Metadata(source=None, position=None, triples=triples)
    )

    some = fitted(whole, parts=("metadata.triples", "text"), most=1_300)
    none = fitted(whole, parts=("metadata.triples", "text"), most=400)

    assert (500, True) == (len(some.text), some.truncated)
    assert 0 < len(some.metadata.triples) < 9
    assert ([], True) == (none.metadata.triples, none.truncated)
    assert 398 < len(compact(none)) <= 400


def test_a_result_that_cannot_be_cut_is_an_error():
    """Its id alone exceeds the limit."""
    whole = FetchResult(
        id="p" * 500, title="T", text="x", url="u", metadata=Metadata(source=None, position=None, triples=[])
    )

    with pytest.raises(SettingsError, match="does not fit into 400 characters: raise --max-chars"):
        fitted(whole, parts=("metadata.triples", "text"), most=400)


def test_no_control_character_reaches_a_client():
    """It may be a terminal; an id stays unchanged, because it is looked up."""
    path = FoundPath(text="a\x1b[2J\u202eb", score=1, passage_ids=["p\x1b"])

    assert "a[2Jb" == path.text
    assert ["p\x1b"] == path.passage_ids
    assert "\x1b" not in compact(path)


# Options


@pytest.mark.parametrize(
    "options",
    [
        {"namespace": "a b"},
        {"namespace": "é"},
        {"namespace": "x" * 41},
        {"timeout": 0},
        {"timeout": float("inf")},
        {"max_chars": 999},
        {"public_url": "example.org"},
        {"public_url": "javascript:alert(1)"},
        {"public_url": "https://example.org/?a=b"},
        {"public_url": "https://[::1"},
    ],
)
def test_an_option_that_cannot_be_used_is_refused(options):
    """When the server is created."""
    with pytest.raises(SettingsError):
        ServerOptions(**options)


# The view of a request


def test_each_request_gets_the_view_of_its_sender():
    """From what the host application stores in the request; the client reads the refusal."""
    seen = []

    def gear_for(request):
        seen.append(request)
        raise GearError("nobody is logged in: send a key")

    server = make_server(gear_for)
    result = talk(server, lambda client: client.call_tool("status", {}))

    assert [None] == seen
    assert "Error executing tool status: nobody is logged in: send a key" == result.content[0].text


def test_a_bug_is_hidden_from_clients(caplog):
    """The log has it, with its traceback."""

    result = talk(make_server(lambda _: SimpleNamespace(status=None)), lambda client: client.call_tool("status", {}))

    assert (True, "Error executing tool status") == (result.is_error, result.content[0].text)
    assert "TypeError" in caplog.text


def test_calls_that_take_too_long_keep_their_slots_until_they_have_ended():
    """Even if clients give up, no more than the limit run; a freed slot is used."""
    gate, begun, limiter = threading.Event(), [], call_limiter()

    def status():
        begun.append(limiter.running)
        gate.wait(60)
        raise GearError("no answer")

    async def work(client):
        said = []
        for _ in range(3):
            async with anyio.create_task_group() as group:
                for _ in range(CALLS):
                    group.start_soon(note, client, said)
        # The first call imports a lot, and may be cancelled before that is done.
        while len(begun) < CALLS:
            await anyio.sleep(0.01)
        gate.set()
        while limiter.running:
            await anyio.sleep(0.01)
        return said, (await client.call_tool("status", {})).content[0].text

    async def note(client, said):
        said.append((await client.call_tool("status", {})).content[0].text)

    options = ServerOptions(timeout=0.5)
    said, after = talk(make_server(lambda _: SimpleNamespace(status=status), options=options, limiter=limiter), work)

    assert CALLS + 1 == len(begun)
    assert CALLS == sum("there was no result within 0.5 s" in text for text in said)
    assert 2 * CALLS == sum("16 calls run at once" in text for text in said)
    assert "no answer" in after


def test_a_server_that_ends_waits_for_the_calls_that_run():
    """They end at their next step; then the database is closed."""
    begun, ended, limiter = threading.Event(), threading.Event(), call_limiter()

    def status():
        begun.set()
        while not cancelled():
            ended.wait(0.005)
        ended.set()
        raise GearError("ended")

    async def work(client):
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "status", {})
            await anyio.to_thread.run_sync(begun.wait)
            await anyio.to_thread.run_sync(partial(limiter.close, seconds=10))
            return ended.is_set(), limiter.running

    server = make_server(lambda _: SimpleNamespace(status=status), limiter=limiter)

    assert (True, 0) == talk(server, work)


@pytest.mark.parametrize(("limit", "truncated"), [(1, True), (2, False), (3, False)])
def test_a_result_says_that_paths_are_beyond_the_limit(limit, truncated):
    """A client that counts the paths must know that there are more."""
    paths = tuple(Path((make_triple("p1", "Curie", "born in", place),), 1.0) for place in ("Warsaw", "Poland"))

    result = encode_connected(PathResult(paths=paths), limit=limit, uri=None, database="neo4j")

    assert (min(limit, 2), truncated) == (len(result.paths), result.truncated)
