"""What the MCP server does without a database: it says what it offers at once, fits results, and checks keys."""

import json
import sys
from types import SimpleNamespace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import GearError, InputError, SettingsError
from gear_neo4j.mcp.fitting import compact, fitted
from gear_neo4j.mcp.http import http_app, require_key
from gear_neo4j.mcp.keys import Keys, read_keys
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.results import FetchResult, FoundPassage, FoundPath, Metadata, SearchResult, Triple
from gear_neo4j.mcp.server import make_server
from tests.mcp_client import talk
from tests.processes import PIPE, started
from tests.unit.test_first_contact import HEAVY

# What the SDK itself cannot do without.
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
    """Neither a model, the driver nor LangChain; hosts give a server ten seconds to start."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    lines = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in REQUESTS)
    command = [sys.executable, "-c", DISCOVERY]

    with started(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=tmp_path) as server:
        server.stdin.write(lines)
        server.stdin.flush()
        # A client hangs up only once it has its replies.
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
    """So the server goes on to answer, and to notice that a call is cancelled."""
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
    """As many items stay as fit; what fits is left as it is."""
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
    """The passage matters more than what was read out of it."""
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
    """Its id alone is longer than the limit."""
    whole = FetchResult(
        id="p" * 500, title="T", text="x", url="u", metadata=Metadata(source=None, position=None, triples=[])
    )

    with pytest.raises(SettingsError, match="does not fit into 400 characters: raise --max-chars"):
        fitted(whole, parts=("metadata.triples", "text"), most=400)


def test_no_control_character_reaches_a_client():
    """It may be a terminal; an id stays as it is, for it is looked up."""
    path = FoundPath(text="a\x1b[2J\u202eb", score=1, passage_ids=["p\x1b"])

    assert "a[2Jb" == path.text
    assert ["p\x1b"] == path.passage_ids
    assert "\x1b" not in compact(path)


# Options and keys


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
    """When the server is made."""
    with pytest.raises(SettingsError):
        ServerOptions(**options)


def test_keys_are_read_from_lines(tmp_path):
    """Blank lines and comments are none; only digests are kept."""
    file = tmp_path / "keys"
    file.write_text("# for Ada\n0123456789abcdef\n\n  fedcba9876543210  \n")

    keys = read_keys(file)

    assert [True, True, False, False] == [
        keys.accept(key) for key in ("0123456789abcdef", "fedcba9876543210", "# for Ada", "")
    ]
    assert "0123456789abcdef" not in repr(keys)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"", "holds no key"),
        (b"# none\n\n", "holds no key"),
        (b"0123456789abcdef\nshort\n", "the key in line 2 of .* has fewer than 16 characters"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
    ],
)
def test_a_file_without_usable_keys_is_refused(tmp_path, content, words):
    """No key of it is repeated."""
    if content is not None:
        (tmp_path / "keys").write_bytes(content)

    with pytest.raises(InputError, match=words) as raised:
        read_keys(tmp_path / "keys")
    assert "0123456789abcdef" not in str(raised.value)


@given(st.lists(st.text(min_size=16, max_size=20), max_size=3), st.text(max_size=20))
def test_a_key_is_accepted_exactly_if_it_is_one_of_them(keys, key):
    """Letter by letter."""
    assert (key in keys) == Keys.of(keys).accept(key)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "gear.example.org", ""])
def test_where_others_can_connect_a_key_is_needed(host):
    """And nowhere else."""
    with pytest.raises(SettingsError, match="lets others connect: give --api-key-file"):
        require_key(host, None)
    require_key(host, Keys.of(["0123456789abcdef"]))
    require_key("127.0.0.1", None)


# The view of a request


def test_each_request_gets_the_view_of_its_sender():
    """By what the host application keeps in the request; a refusal is what the client reads."""
    seen = []

    async def gear_for(request):
        seen.append(request)
        raise GearError("nobody is logged in: send a key")

    server = make_server(gear_for)
    result = talk(server, lambda client: client.call_tool("status", {}))

    assert [None] == seen
    assert "Error executing tool status: nobody is logged in: send a key" == result.content[0].text


def test_a_bug_is_hidden_from_clients(caplog):
    """It is in the log, with its traceback."""

    async def gear_for(_):
        return SimpleNamespace(status=None)

    result = talk(make_server(gear_for), lambda client: client.call_tool("status", {}))

    assert (True, "Error executing tool status") == (result.is_error, result.content[0].text)
    assert "TypeError" in caplog.text


def test_nothing_is_answered_without_a_key():
    """Not even what does not exist."""
    app = http_app(make_server(lambda _: None), keys=Keys.of(["0123456789abcdef"]))
    sent = []

    async def ask(kind, headers):
        scope = {"type": kind, "path": "/nosuch", "raw_path": b"/nosuch", "query_string": b"", "method": "GET"}
        await app({**scope, "headers": headers, "root_path": ""}, None, keep)

    async def keep(message):
        sent.append(message.get("status"))

    for headers in (
        [],
        [(b"authorization", b"Bearer 0123456789abcdeX")],
        [(b"authorization", b"Basic 0123456789abcdef")],
        [(b"authorization", b"Bearer")],
        [(b"x-api-key", b"0123456789abcdef")],
    ):
        anyio.run(ask, "http", headers)
    assert [401] * 5 == [status for status in sent if status]
    anyio.run(ask, "http", [(b"authorization", b"bearer 0123456789abcdef")])
    assert 404 == [status for status in sent if status][-1]
