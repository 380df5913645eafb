"""Invalid requests: each gets a response below 500, in the format of its route."""

import json
from copy import deepcopy
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.saved_runs import run
from tests.toy_model import FACTS, PASSAGES, QUESTION
from tests.web import client_of, scripted_gear

pytestmark = pytest.mark.one_server_line

PATHS = ("/api/search", "/api/paths", "/api/ask", "/api/explain", "/v1/chat/completions")
DEEP = 50_000
BODIES = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"}",
    b"\x00",
    b"\xff\xfe{}",
    b"\xef\xbb\xbf{}",
    '{"question": "ü"}'.encode("latin-1"),
    '{"question": "Who?"}'.encode("utf-16"),
    b'{"question": "\\ud800"}',
    b'{"question": "\\u0000 who?"}',
    b'{"question": NaN}',
    b'{"question": "Who?", "k": 1e999}',
    b'{"question": "Who?", "k": -1}',
    b'{"question": "Who?", "k": true}',
    b'{"question": "Who?", "k": ' + b"9" * 5_000 + b"}",
    b'{"question": "Who?", "question": "What?", "k": {}}',
    b'{"question": ["Who?"]}',
    b'{"question": {"a": {"b": 1}}}',
    b"[" * DEEP,
    b'{"a":' * DEEP,
    b"[" * DEEP + b"]" * DEEP,
    b'{"question": "Who?", "where": ' + b'{"not":' * 2_000 + b'{"a": 1}' + b"}" * 2_001,
    b'{"question": "Who?", "where": "' + b"not " * 990 + b'a = 1"}',
    b'{"question": "Who?", "where": "' + b"(" * 3_900 + b'"}',
    b'{"question": "Who?", "retriever": ' + b'{"name": "naive", "base": ' * 2_000 + b'"sbert"' + b"}" * 2_001,
    b'{"question": "Who?", "collections": [' + b'"a",' * 5_000 + b'"a"]}',
    b'{"question": "Who?", "collections": ["a/b", "\\ud800", "\\n"]}',
    b'{"question": "' + b"x" * 4_001 + b'"}',
    b"x" * (1 << 21),
    b'{"model": "gear-paths", "messages": [{"role": "user"}]}',
    b'{"model": "gear-paths", "messages": [{"role": "user", "content": 5}]}',
    b'{"model": "gear-paths", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}',
    b'{"model": "\\u202e", "messages": [{"role": "user", "content": "Who?"}]}',
    b'{"model": "gear-paths", "messages": {}}',
    b'{"kind": "search"}',
    b'{"kind": "answer", "wire": 99}',
]
TYPES = [
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "",
    "\x00",
]
URLS = [
    "/",
    "//",
    "/api",
    "/api/",
    "/api//search",
    "/api/search/",
    "/API/SEARCH",
    "/api/../metrics",
    "/api/%2e%2e/metrics",
    "/api/passages/",
    "/api/passages/..",
    "/api/passages/%00",
    "/api/passages/%ff%fe",
    "/api/passages/" + "x" * 5_000,
    "/api/passages/a%2fb%2f..%2f..%2fetc%2fpasswd",
    "/api/passages/%ED%A0%80",
    "/api/passages/town?" + "a=b&" * 2_000,
    "/api/passages/town#x",
    "/api/passages/%0d%0aSet-Cookie:x=1",
    "/v1/models/%00",
    "/v1/models/gear-nosuch",
    "/v1/models/" + "g" * 3_000,
    "/v1",
    "/v1/nosuch",
    "/docs",
    "/.env",
    "/static/../../etc/passwd",
    "/api/search;x=1",
    "/%",
    "/%zz",
    "/api/search?question=Who",
]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", "M" * 200]
FLOODS = [
    [("X-A", "x" * 60_000)],
    [(f"X-{number}", "x") for number in range(2_000)],
    [("Authorization", "Bearer " + "x" * 50_000)],
    [("Authorization", "Bearer")],
    [("Authorization", "\xff\xfe")],
    [("X-API-Key", "a"), ("X-API-Key", "b")],
    [("X-Request-Id", "x" * 10_000)],
    [("X-Request-Id", "a\tb<script>")],
    [("Origin", "null")],
    [("Origin", "http://[")],
    [("Host", "127.0.0.1"), ("Host", "evil.test")],
    [("Host", "[::1")],
    [("Host", "127.0.0.1:99999999")],
    [("Content-Length", "abc")],
    [("Content-Length", "-1")],
    [("Content-Length", "9" * 400)],
    [("Content-Encoding", "gzip")],
    [("Transfer-Encoding", "chunked, gzip")],
    [("Expect", "100-continue")],
    [("Accept", "nothing/at-all")],
    [("Range", "bytes=0-1,2-3,9-")],
    [("Upgrade", "websocket"), ("Connection", "Upgrade")],
    [("Cookie", "a=" + "b" * 20_000)],
    [("X-HTTP-Method-Override", "DELETE")],
]


@pytest.fixture
def client(shared, embedder, server):
    """The service without keys, so that every request gets as far as possible."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with scripted_gear(server, embedder) as (gear, _), client_of(gear, asks=50, searches=200) as client:
        yield client


def refusals(responses):
    """The requests with an unacceptable response: the request, the status and the text."""
    for sent, response in responses:
        if response.status_code >= 500 or "Traceback" in response.text or not well_formed(response):
            yield sent, response.status_code, response.text[:200]


def well_formed(response):
    """Whether a response is a result, or a problem in the format of its route."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return True
    document = response.json()
    if response.url.path.startswith("/v1/"):
        return {"message", "type", "code"} <= document["error"].keys()
    return document["status"] == response.status_code and document["request_id"] == response.headers["x-request-id"]


def test_no_body_gives_500(client):
    """Of any size, depth, encoding and type, on every route with a body."""
    kinds = [(body, "application/json") for body in BODIES]
    kinds += product([b"", b"null", b'{"question": "Who?"}'], TYPES)
    responses = [
        ((path, body[:80], kind), client.post(path, content=body, headers={"Content-Type": kind}))
        for path in PATHS
        for body, kind in kinds
    ]

    assert [] == list(refusals(responses))
    assert len(responses) > 250


def test_no_path_and_no_method_gives_500(client):
    """Tricks with dots, slashes, escapes and lengths; methods that exist, and some that do not."""
    urls = [(("GET", url), client.get(url)) for url in URLS]
    methods = [
        ((method, path), client.request(method, path))
        for method in METHODS
        for path in (*PATHS, "/healthz", "/api/status", "/api/passages/town", "/nosuch")
    ]

    assert [] == list(refusals([*urls, *methods]))
    assert {"town"} == {
        response.json()["id"] for (_, url), response in urls if response.status_code == 200 and "/town" in url
    }


def test_no_header_gives_500(client):
    """Floods of them, duplicates, contradictions; none is returned in a header."""
    responses = []
    for headers in FLOODS:
        for method, path in (("GET", "/healthz"), ("POST", "/api/search")):
            raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
            content = b'{"question": "Who?"}' if method == "POST" else None
            responses.append(((path, headers[0][0]), client.request(method, path, content=content, headers=raw)))

    assert [] == list(refusals(responses))
    assert {32} == {len(response.headers["x-request-id"]) for _, response in responses}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["\ud800", "\x1b[2J", "a\x00b", "9" * 400]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ("k", "limit", "retriever", "base", "agent", "collections", "where", "max_steps", "seconds", "stream", "model")
KINDS = ("search", "answer", "trace")
OPTIONS = ("base", "beam", "over", "max_steps", "hops", "thresholds")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(PATHS),
    question=st.text(max_size=50) | st.just(QUESTION) | JSON,
    fields=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3),
    name=st.sampled_from(["naive", "gear", "crag", "paths", "scout"]),
    options=st.dictionaries(
        st.sampled_from(["base", "beam", "over", "max_steps", "hops", "thresholds"]), JSON, max_size=2
    ),
)
def test_no_value_of_a_field_gives_500(client, path, question, fields, name, options):
    """For any JSON in it."""
    body = {"question": question, "retriever": {"name": name, **options}, **fields}
    content = json.dumps(body).encode("utf-8", "replace")
    response = client.post(path, content=content, headers={"Content-Type": "application/json"})

    assert [] == list(refusals([(body, response)]))


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(KINDS), numbers=st.lists(st.integers(0, 200), max_size=3), value=JSON)
def test_a_saved_run_with_anything_else_in_it_gives_no_500(client, kind, numbers, value):
    """It becomes a page, or is refused."""
    document = run(kind=kind)
    for number in numbers:
        replace_at(document, number, deepcopy(value))
    content = json.dumps(document).encode("utf-8", "replace")
    response = client.post("/api/explain", content=content, headers={"Content-Type": "application/json"})

    assert [] == list(refusals([(document, response)]))


def replace_at(document, number, value):
    """Replace the value that a walk through a document reaches after a number of turns."""
    holder = document
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = keys[number % len(keys)]
        number //= len(keys)
        if not isinstance(holder[key], dict | list) or not number:
            holder[key] = value
            return
        holder = holder[key]
