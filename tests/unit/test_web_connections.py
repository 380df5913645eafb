"""Connections that keep the service waiting are closed in time, and other clients are served meanwhile."""

import asyncio
import socket
import threading
import time
from contextlib import ExitStack, contextmanager

import httpx
import pytest
import uvicorn

from gear_neo4j.web.connections import LARGEST_HEAD, ConnectionLimits
from gear_neo4j.web.middleware import AtOnce, RequestEntry
from gear_neo4j.web.problems import http_failure
from gear_neo4j.web.running import config_of, listen
from gear_neo4j.web.unread import MOST_BYTES, PIECE, UnreadAnswers
from tests.waiting import settle

SECONDS = 0.5
PATIENCE = 20
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "
PART = b"x" * 65_536


class App:
    """Replies at once; ``/endless`` streams until nobody reads, ``/gate`` waits, and ``/large`` has 4 MiB."""

    def __init__(self):
        self.requests = 0
        self.ended, self.waits, self.released = threading.Event(), threading.Event(), threading.Event()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        self.requests += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["path"] == "/endless":
            await receive()
            leaving = asyncio.ensure_future(receive())
            while not leaving.done():
                await send({"type": "http.response.body", "body": PART, "more_body": True})
                await asyncio.sleep(0)
            self.ended.set()
            return
        if scope["path"] == "/gate":
            self.waits.set()
            await asyncio.to_thread(self.released.wait, PATIENCE)
        body = PART * 64 if scope["path"] == "/large" else b"ok"
        await send({"type": "http.response.body", "body": body})


@contextmanager
def served(*, most=500, requests=500, unread=MOST_BYTES):
    """The application behind uvicorn, configured like the service; yields its port and the application."""
    app = App()
    at_once = AtOnce(app, most=requests, name_of=lambda _: "", failure=http_failure(503, "too many requests"))
    outermost = UnreadAnswers(RequestEntry(at_once, on_end=lambda *_: None), most=unread)
    server = uvicorn.Server(config_of(outermost, limits=ConnectionLimits(most=most, seconds=SECONDS)))
    with listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1], app
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


def connected(port, *, source="127.0.0.1", room=None):
    """A plain connection from an address of this machine, with a receive buffer of some size."""
    connection = socket.socket()
    if room:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    connection.bind((source, 0))
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", port))
    return connection


def rest_of(connection):
    """What the service still sends until it closes the connection."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def is_open(connection):
    """Whether the service has not closed a connection on which it sends nothing."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


@pytest.mark.parametrize("sent", [b"", HALF, b"GET /one HTTP/1.1\r\nHost: a\r\n\r\n" + HALF])
def test_a_connection_on_which_no_whole_head_arrives_is_closed(sent):
    """The first head, and any later one; a partial head gets a response."""
    with served() as (port, _), connected(port) as connection:
        connection.sendall(sent)
        started = time.monotonic()
        answer = rest_of(connection)

    assert SECONDS * 0.9 < time.monotonic() - started < 10 * SECONDS
    assert sent.endswith(HALF) == (b" 408 " in answer)


@pytest.mark.parametrize("begin", [HALF, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"])
def test_bytes_that_trickle_in_prolong_nothing(begin):
    """Neither those of a head, nor those of an unwanted body."""
    with served() as (port, _), connected(port) as connection:
        connection.sendall(begin)

        def closes():
            try:
                connection.send(b"x")
            except ConnectionError:
                return True
            return False

        assert settle(closes, seconds=10 * SECONDS)


@pytest.mark.parametrize("size", [LARGEST_HEAD * 2, 65_536, 1_000_000])
@pytest.mark.parametrize("piece", [1_000, 10_000_000])
def test_a_large_head_is_refused(size, piece):
    """In one piece or in parts; the application sees nothing of it."""
    sent = HALF + b"x" * size + b"\r\n\r\n"
    with served() as (port, app), connected(port) as connection:
        try:
            for start in range(0, len(sent), piece):
                connection.sendall(sent[start : start + piece])
        except ConnectionError:
            pass
        answer = rest_of(connection)

    assert 0 == app.requests
    assert not answer or answer.startswith(b"HTTP/1.1 400 ")


def test_a_stream_that_nobody_reads_ends():
    """And so does its producer."""
    with served() as (port, app), connected(port, room=4_096) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")

        assert app.ended.wait(PATIENCE)


def test_a_response_that_nobody_reads_is_given_up():
    """Although the application has sent all of it; uvicorn would wait for its last byte."""
    with served() as (port, _), connected(port, room=4_096) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(4 * SECONDS)
        received = len(rest_of(connection))

    assert received < 64 * len(PART)


def test_a_client_that_reads_slowly_gets_all():
    """It takes several times as long as the limit for a head."""
    with served() as (port, _), connected(port, room=65_536) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        started, received = time.monotonic(), 0
        while part := connection.recv(1 << 20, socket.MSG_WAITALL):
            received += len(part)
            time.sleep(SECONDS / 4)

    assert time.monotonic() - started > 3 * SECONDS
    assert received > 64 * len(PART)


def test_connections_that_wait_make_room_for_others():
    """Running requests are kept, and new clients are served, whatever the others do."""
    with served(most=20) as (port, app), ExitStack() as stack:
        working = stack.enter_context(connected(port))
        working.sendall(b"GET /gate HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert app.waits.wait(PATIENCE)
        statuses, idle = [], []
        for number in range(100):
            idle.append(stack.enter_context(connected(port)))
            idle[-1].sendall(HALF if number % 2 else b"")
            if number % 10 == 9:
                statuses.append(httpx.get(f"http://127.0.0.1:{port}/").status_code)
        left = sum(map(is_open, idle))
        app.released.set()
        answer = rest_of(working)

    assert 10 * [200] == statuses
    assert left <= 20
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_a_crowd_from_one_address_drops_its_own():
    """Another address keeps its connection, although it has waited longest."""
    with served(most=20) as (port, _), ExitStack() as stack:
        quiet = stack.enter_context(connected(port))
        crowd = [stack.enter_context(connected(port, source="127.0.0.2")) for _ in range(60)]
        assert settle(lambda: sum(map(is_open, crowd)) < 20, seconds=SECONDS / 2)
        kept = is_open(quiet)
        quiet.setblocking(True)
        quiet.settimeout(PATIENCE)
        quiet.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        answer = rest_of(quiet)

    assert kept
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_clients_that_do_not_read_keep_nobody_out():
    """Their requests have ended. One that is still answered counts, and one that never ends does."""
    with served(requests=2) as (port, app), ExitStack() as stack:

        def ask(path):
            connection = stack.enter_context(connected(port, room=4_096))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())

        def status():
            return httpx.get(f"http://127.0.0.1:{port}/").status_code

        for _ in range(5):
            ask("/large")
        assert settle(lambda: app.requests == 5)
        beside_unread = status()
        ask("/gate")
        assert app.waits.wait(PATIENCE)
        beside_one = status()
        ask("/endless")
        beside_two = settle(lambda: status() == 503)
        app.released.set()

    assert (200, 200) == (beside_unread, beside_one)
    assert beside_two


def test_answers_that_nobody_reads_make_room_for_others():
    """The oldest goes; the newest is kept, however large."""
    size = 64 * len(PART)
    with served(unread=2 * size) as (port, app), ExitStack() as stack:
        silent = []
        for number in range(1, 4):
            silent.append(stack.enter_context(connected(port, room=4_096)))
            silent[-1].sendall(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert settle(lambda number=number: app.requests == number)
        received = [len(rest_of(connection)) for connection in silent]
    with served(unread=1) as (port, _):
        alone = httpx.get(f"http://127.0.0.1:{port}/large")

    assert [False, True, True] == [count > size for count in received]
    assert size == len(alone.content)


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 10 * PIECE, 10 * PIECE + 1])
def test_a_large_body_is_sent_in_pieces(size):
    """If nobody reads, uvicorn holds a piece of it, not a copy of the whole."""
    body, sent = bytes(number % 251 for number in range(size)), []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    async def keep(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    asyncio.run(UnreadAnswers(app)(scope, None, keep))

    pieces = [message["body"] for message in sent[1:]]
    assert body == b"".join(pieces)
    assert max(map(len, pieces)) <= PIECE
    assert [False] == [message.get("more_body", False) for message in sent[1:]][-1:]
    assert all(message["more_body"] for message in sent[1:-1])
