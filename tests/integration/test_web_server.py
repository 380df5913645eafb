"""The service behind a real server: streaming, disconnected clients, and shutdown."""

import json
import signal
import socket
import threading
from contextlib import ExitStack, contextmanager

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from gear_neo4j.web.keys import add_key
from tests.scripted_server import ScriptedServer
from tests.toy_model import QUESTION, ToyModel
from tests.uploads import ingested
from tests.waiting import settle
from tests.web import client_of, command, scripted_gear, served

pytestmark = pytest.mark.one_server_line

PATIENCE = 30


class Gated:
    """A toy model that waits at one of its replies until a test releases it."""

    def __init__(self, at_reply):
        self.at_reply = at_reply
        self.replies = 0
        self.waits, self.released = threading.Event(), threading.Event()
        self.toy = ToyModel()

    def __call__(self, messages):
        self.replies += 1
        if self.replies == self.at_reply:
            self.waits.set()
            assert self.released.wait(PATIENCE)
        return self.toy(messages)


@contextmanager
def gated(server, embedder, *, at_reply, **options):
    """A service over a gated model: its URL, the model, uvicorn's server and the limiter of questions."""
    model = Gated(at_reply)
    with scripted_gear(server, embedder, script=model) as (gear, _), served(gear, **options) as (url, running):
        try:
            yield url, model, running
        finally:
            model.released.set()


def connected(url):
    """A plain connection to the service."""
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)))


def head(path, size, **headers):
    """The first lines of a request with a body of a size."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", f"Content-Length: {size}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def asks(url):
    """The number of running questions, as the service counts them."""
    text = httpx.get(f"{url}/metrics").text
    return next(line.split()[-1] for line in text.splitlines() if line.startswith('gear_running{kind="ask"}'))


def until_idle(url):
    """Wait for all questions to end."""
    return any(asks(url) == "0.0" for _ in range(1_000))


def test_events_arrive_before_the_run_goes_on(corpus, server, embedder):
    """The first step arrives while the model is still at its second reply."""
    with gated(server, embedder, at_reply=2) as (url, model, _):
        body = {"question": QUESTION, "stream": True}
        with httpx.stream("POST", f"{url}/api/ask", json=body, timeout=PATIENCE) as response:
            lines = response.iter_lines()
            first = next(lines)
            was_waiting = model.waits.wait(PATIENCE) and not model.released.is_set()
            model.released.set()
            rest = list(lines)

    assert ("event: step", True) == (first, was_waiting)
    assert ["event: answer"] == [line for line in rest if line.startswith("event: ")][-1:]


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_goes_away_ends_the_run_at_its_next_step(corpus, server, embedder, stream):
    """The model is not called again, and its slot is free."""
    with gated(server, embedder, at_reply=2) as (url, model, _):
        body = json.dumps({"question": QUESTION, "stream": stream}).encode()
        with connected(url) as client:
            client.sendall(head("/api/ask", len(body)) + body)
            assert model.waits.wait(PATIENCE)
            busy = asks(url)
        until_gone(url)
        model.released.set()

        assert ("1.0", True, 2) == (busy, until_idle(url), model.replies)


def until_gone(url):
    """Wait until the service has noticed that a client disconnected: then it counts the request."""
    for _ in range(1_000):
        if 'route="/api/ask"' in httpx.get(f"{url}/metrics").text:
            return
    raise AssertionError("the service did not notice")


def test_a_service_that_is_stopped_finishes_what_it_has_accepted(corpus, server, embedder):
    """The answer is complete, and no further connection is accepted."""
    with gated(server, embedder, at_reply=2) as (url, model, running):
        answers = []
        asking = threading.Thread(
            target=lambda: answers.append(
                httpx.post(f"{url}/api/ask", json={"question": QUESTION}, timeout=PATIENCE).json()
            )
        )
        asking.start()
        assert model.waits.wait(PATIENCE)
        running.should_exit = True
        until_closed(url)
        model.released.set()
        asking.join(PATIENCE)

    assert ["answerable"] == [answer["stop_reason"] for answer in answers]


def until_closed(url):
    """Wait until no connection is accepted."""
    for _ in range(1_000):
        try:
            httpx.get(f"{url}/healthz")
        except httpx.TransportError:
            return
    raise AssertionError("the service still takes connections")


def test_one_question_more_than_may_run_is_refused_while_the_others_go_on(corpus, server, embedder):
    """At once, with the time to wait."""
    with gated(server, embedder, at_reply=1, asks=1) as (url, model, _):
        body = {"question": QUESTION}
        asking = threading.Thread(
            target=httpx.post, args=(f"{url}/api/ask",), kwargs={"json": body, "timeout": PATIENCE}
        )
        asking.start()
        assert model.waits.wait(PATIENCE)
        refused = httpx.post(f"{url}/api/ask", json=body)
        model.released.set()
        asking.join(PATIENCE)

    assert (429, "1") == (refused.status_code, refused.headers["retry-after"])


def test_one_request_more_than_may_be_under_way_is_refused(corpus, server, embedder, tmp_path):
    """With 429 for a key, with 503 for all together; probes are answered nevertheless."""
    file = tmp_path / "keys.json"
    ada, bo = ({"X-API-Key": add_key(file, name, everything=True)} for name in ("ada", "bo"))
    options = {"keys_file": file, "requests": 2, "key_requests": 1}
    with gated(server, embedder, at_reply=1, **options) as (url, model, _), ExitStack() as stack:

        def status(path, headers):
            return httpx.get(f"{url}{path}", headers=headers, timeout=PATIENCE).status_code

        body = json.dumps({"question": QUESTION}).encode()
        stack.enter_context(connected(url)).sendall(head("/api/ask", len(body), **ada) + body)
        assert model.waits.wait(PATIENCE)
        of_key = [status("/api/status", key) for key in (ada, bo)]
        stack.enter_context(connected(url)).sendall(head("/api/ask", len(body), **bo))
        assert settle(lambda: status("/api/me", {}) == 503)
        probes = [status(path, {}) for path in ("/healthz", "/readyz")]

    assert ([429, 200], [200, 200]) == (of_key, probes)


def test_a_key_has_so_many_streams_and_uploads(corpus, server, embedder):
    """Counted separately from its other requests."""
    limits = {"key_streams": 0, "key_uploads": 0}
    with scripted_gear(server, embedder) as (gear, _), client_of(gear, **limits) as client:
        statuses = [
            client.get("/api/jobs/none/events").status_code,
            client.post("/api/documents").status_code,
            client.get("/api/documents").status_code,
            client.get("/api/jobs/none").status_code,
        ]

    assert [429, 429, 200, 404] == statuses


def test_a_body_that_trickles_in_is_not_waited_for(corpus, server, embedder):
    """Nor is one that never arrives."""
    options = {"body_seconds": 0.1}
    with scripted_gear(server, embedder) as (gear, _), served(gear, **options) as (url, _), connected(url) as client:
        client.sendall(head("/api/search", 9) + b"{")
        client.settimeout(PATIENCE)
        answer = client.recv(65_536)

    assert b"408" in answer.splitlines()[0]


def test_headers_without_end_are_refused(corpus, server, embedder):
    """By the server itself, before the application sees them; it may close the connection while reading."""
    with scripted_gear(server, embedder) as (gear, _), served(gear) as (url, _):
        with connected(url) as client:
            refused = is_refused(client, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + b"x" * 1_000_000)
        after = httpx.get(f"{url}/healthz")

    assert (True, 200) == (refused, after.status_code)


def is_refused(client, sent):
    """Whether the response to a request is 400, or the connection is closed."""
    client.settimeout(PATIENCE)
    try:
        client.sendall(sent)
        return b" 400 " in client.recv(65_536)
    except ConnectionError:
        return True


def through_mcp(url, key, question):
    """The number of passages that a search over MCP returns."""

    async def run():
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            result = await client.call_tool("search", {"query": question, "k": 5})
            return len(result.structured_content["results"])

    return anyio.run(run)


def test_the_command_serves_the_demo_over_http_and_mcp_until_it_is_stopped(server, empty, home):
    """It prints its URL, logs JSON, checks keys on both, and ends with 0."""
    question, file = "Who won the 2024 Nobel Prize in Physics?", home / "keys.json"
    root, nobody = add_key(file, "root", everything=True), add_key(file, "nobody", collections=["none"])
    with command(server, home, "--demo") as (running, url):
        headers = {"X-API-Key": root, "X-Request-Id": "trace-0001"}
        hits = httpx.post(f"{url}/api/search", json={"question": question}, headers=headers, timeout=60).json()["hits"]
        counts = [through_mcp(url, key, question) for key in (root, nobody)]
        refused = httpx.post(f"{url}/mcp", json={}).status_code
        page = httpx.get(f"{url}/").text
        running.send_signal(signal.SIGTERM)
        out, err = running.communicate(timeout=60)

    rows = [json.loads(row) for row in err.splitlines() if row.startswith('{"request_id": ')]
    (logged,) = [row for row in rows if row["request_id"] == "trace-0001"]
    assert (0, "stopped\n", "/api/search", "root") == (running.returncode, out, logged["route"], logged["key"])
    assert [hit["id"] for hit in hits] == logged["passages"]
    assert ([5, 0], 401) == (counts, refused)
    assert {"root", "nobody"} == {row["key"] for row in rows if row["route"] == "/mcp" and row["status"] < 400}
    assert [5] == [len(row["passages"]) for row in rows if row["route"] == "/mcp" and "passages" in row]
    assert "<title>gear-neo4j</title>" in page
    assert "Traceback" not in err
    assert question not in err


def test_a_service_that_is_ended_under_load_answers_all_that_it_has_accepted(server, empty, embedder, home):
    """SIGTERM during eight searches: no further connection is accepted, and each search is answered."""
    waiting, released, answered = threading.Semaphore(0), threading.Event(), []

    def vectors(texts):
        if any("Who" in text for text in texts):
            waiting.release()
            assert released.wait(PATIENCE)
        return embedder.embed(texts).tolist()

    def search(url, number):
        body = {"question": f"Who won {number} prizes?"}
        answered.append(httpx.post(f"{url}/api/search", json=body, timeout=60))

    with (
        ScriptedServer(lambda _: "", vectors=vectors) as model,
        command(server, home, GEAR_EMBEDDING_URL=model.url, GEAR_EMBEDDING_MODEL="toy") as (running, url),
        httpx.Client(base_url=url, timeout=60) as sender,
    ):
        ingested(sender, {"a.txt": b"Ada won. Bo won, too."})
        clients = [threading.Thread(target=search, args=(url, number)) for number in range(8)]
        for client in clients:
            client.start()
        assert all(waiting.acquire(timeout=PATIENCE) for _ in clients)
        running.send_signal(signal.SIGTERM)
        until_closed(url)
        released.set()
        for client in clients:
            client.join()
        assert 0 == running.wait(PATIENCE)

    assert 8 * [(200, 1)] == [(response.status_code, len(response.json()["hits"])) for response in answered]
