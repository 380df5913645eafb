"""A language model for tests: a real HTTP server on this machine that speaks OpenAI's protocol, scripted by you.

Everything between your code and the wire is real (LangChain, the client library, sockets); only the model's reply comes
from your function. ``script`` gets the messages of a request, each ``{"role": ..., "content": ...}``, and returns the
text of the reply. ``fault`` gets the number of the request, from 1, and its messages, and returns what goes wrong: a
``Fault``, a ``BadBody``, a ``Refusal``, any HTTP status as an int, or None for no fault::

    from tests.scripted_server import Fault, ScriptedServer

    def capital(messages):
        return json.dumps({"capital": "Paris"})

    def first_is_cut(number, messages):
        return Fault.CUT if number == 1 else None

    with ScriptedServer(capital, fault=first_is_cut) as server:
        chat = open_chat(Settings(chat_model="any", openai_base_url=server.url), cache=False)
        ...
        assert 2 == len(server.requests)

Each request calls both functions in its own thread, many at once. An exception in one of them is a mistake in the test:
the client gets a 400, which is not retried, and the ``with`` block ends with that exception. A reply counts one token
per word, so a test can compute the cost of a conversation. A streaming request gets its reply word by word.
"""

import json
import math
import os
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.bad_bodies import BadBody, send

PATH = "/v1/chat/completions"
EMBEDDINGS = "/v1/embeddings"
Messages = list[dict[str, object]]


class Fault(Enum):
    """The ways in which models and their servers fail."""

    MALFORMED_JSON = auto()  # the reply's last character is replaced by a comma
    CUT = auto()  # half of the reply, and the reason "length"
    EMPTY = auto()  # a reply without text
    PROSE = auto()  # the reply between two sentences of small talk
    FENCED = auto()  # the reply in a Markdown code block
    NO_USAGE = auto()  # the reply, without its token counts
    RATE_LIMIT = auto()  # 429, with the header Retry-After
    SERVER_ERROR = auto()  # 500
    SLOW = auto()  # nothing for ``slow`` seconds, then the reply
    RESET = auto()  # the connection is reset
    BROKEN = auto()  # a stream is reset half way; a reply in one piece is unchanged
    NO_STREAM = auto()  # a stream is refused with 400; a reply in one piece is unchanged
    SHUFFLED = auto()  # the rows of embeddings in reverse, each with its index
    NO_VECTOR = auto()  # the last of the embeddings is null


@dataclass(frozen=True)
class Refusal:
    """An error as the body of a reply, with any status: some servers send it with 200."""

    status: int
    error: dict


class ScriptedServer:
    """A server at ``url`` from the beginning of a ``with`` block to its end.

    Args:
        script: returns the text of the reply to the messages of a request.
        fault: returns what goes wrong, for the number of a request and its messages.
        retry_after: the header Retry-After of a RATE_LIMIT, seconds or a date, or a function for it; None: no header.
        slow: the seconds that SLOW takes; choose it longer than the client's timeout. The end of the block ends it.
        alternatives: a word of a reply to the probabilities of the words that could have stood there, itself among
            them; sent as log-probabilities to those who ask for such.
        vectors: returns the vectors of the texts of an embedding request; ``fault`` gets these texts as its messages.
    """

    def __init__(
        self,
        script: Callable[[Messages], str],
        *,
        fault: Callable[[int, Messages], Fault | BadBody | Refusal | int | None] = lambda _number, _messages: None,
        retry_after: str | Callable[[], str] | None = "0.05",
        slow: float = 30.0,
        alternatives: dict[str, dict[str, float]] | None = None,
        vectors: Callable[[list[str]], list[list[float]]] | None = None,
    ) -> None:
        self.script, self.fault, self.slow, self.vectors = script, fault, slow, vectors
        self.alternatives = alternatives or {}
        self.closing = threading.Event()
        self._retry_after = retry_after
        self._requests: list[dict[str, object]] = []
        self._mistakes: list[Exception] = []
        self._in_flight = self._busiest = 0
        self._lock = threading.Lock()

    def __enter__(self) -> "ScriptedServer":
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.scripted = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        if self._mistakes and kind is not KeyboardInterrupt:
            raise self._mistakes[0]

    @property
    def url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def requests(self) -> list[dict[str, object]]:
        """The bodies of the requests so far, in order of arrival; including failed ones."""
        with self._lock:
            return list(self._requests)

    @property
    def busiest(self) -> int:
        """The maximum number of requests in progress at one time."""
        with self._lock:
            return self._busiest

    @property
    def retry_after(self) -> str | None:
        """The header of a rate limit reply now."""
        return self._retry_after() if callable(self._retry_after) else self._retry_after

    def arrived(self, body: dict[str, object]) -> int:
        """Record a request; returns its number."""
        with self._lock:
            self._requests.append(body)
            return len(self._requests)

    def mistaken(self, error: Exception) -> None:
        """Record an exception of the test's own functions."""
        with self._lock:
            self._mistakes.append(error)

    @contextmanager
    def in_flight(self) -> Iterator[None]:
        """Count a request in progress."""
        with self._lock:
            self._in_flight += 1
            self._busiest = max(self._busiest, self._in_flight)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= 1


class _Server(ThreadingHTTPServer):
    scripted: ScriptedServer
    daemon_threads = False
    # With the default of 5, the sixth of many clients waits a second for its connection.
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Do not report clients that gave up: the tests expect them."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == EMBEDDINGS and self.server.scripted.vectors:
            self._embed(body)
        elif self.path != PATH:
            self._refuse(404, f"there is nothing at {self.path}, only {PATH}")
        else:
            self._answer(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on standard error."""

    def _answer(self, body: dict) -> None:
        played = self._played(body, body["messages"], self.server.scripted.script)
        if played is None:
            return
        number, fault, content = played
        if body.get("stream"):
            self._stream(body, content, number=number, fault=fault)
            return
        reply = completion(body["model"], body["messages"], content, number=number, fault=fault)
        if body.get("logprobs"):
            reply["choices"][0]["logprobs"] = log_probabilities(content, self.server.scripted.alternatives)
        self._reply(200, reply)

    def _stream(self, body: dict, content: str, *, number: int, fault: Fault | None) -> None:
        if fault is Fault.NO_STREAM:
            self._refuse(400, "this server does not stream")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in chunks(body, content, number=number, fault=fault):
            if chunk is None:
                # A reset overtakes data that the client has not read yet.
                time.sleep(0.1)
                self._reset()
                return
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def _embed(self, body: dict) -> None:
        played = self._played(body, body["input"], self.server.scripted.vectors)
        if played is None:
            return
        _, fault, vectors = played
        data = [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)]
        if fault is Fault.SHUFFLED:
            data.reverse()
        if fault is Fault.NO_VECTOR:
            data[-1]["embedding"] = None
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._reply(200, {"object": "list", "data": data, "model": body["model"], "usage": usage})

    def _played(self, body: dict, asked: list, script: Callable) -> tuple | None:
        """The number of a request, its fault and its reply; None if the fault was the response."""
        scripted = self.server.scripted
        number = scripted.arrived(body)
        with scripted.in_flight():
            try:
                fault = scripted.fault(number, asked)
                said = script(asked)
            except Exception as error:
                scripted.mistaken(error)
                return self._refuse(400, f"the script failed: {error!r}")
            if fault is Fault.SLOW:
                scripted.closing.wait(scripted.slow)
        if isinstance(fault, BadBody):
            return send(self, fault, stream=bool(body.get("stream")), closing=scripted.closing)
        if isinstance(fault, Refusal):
            return self._reply(fault.status, {"error": fault.error})
        if fault is Fault.RESET:
            return self._reset()
        if fault is Fault.RATE_LIMIT:
            after = scripted.retry_after
            return self._refuse(429, "too many requests", {} if after is None else {"Retry-After": after})
        if isinstance(fault, int) or fault is Fault.SERVER_ERROR:
            status = 500 if fault is Fault.SERVER_ERROR else fault
            return self._refuse(status, f"scripted to fail with {status}")
        return number, fault, said

    def _refuse(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self._reply(status, {"error": {"message": message, "type": "scripted", "code": None}}, headers or {})

    def _reply(self, status: int, value: object, headers: dict[str, str] | None = None) -> None:
        payload = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _reset(self) -> None:
        # A linger time of zero resets; the descriptor is closed by hand, because a shutdown would come first.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())


def completion(model: str, messages: Messages, content: str, *, number: int, fault: Fault | None) -> dict:
    """The body of a reply, changed by the fault."""
    spoilt = SPOILT.get(fault, lambda text: text)(content)
    body = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": spoilt},
                "finish_reason": "length" if fault is Fault.CUT else "stop",
            }
        ],
        "usage": tokens(messages, spoilt),
    }
    return {key: value for key, value in body.items() if key != "usage" or fault is not Fault.NO_USAGE}


def chunks(body: dict, content: str, *, number: int, fault: Fault | None) -> Iterator[dict | None]:
    """The reply of a stream, one chunk per word, then the usage if requested; at None the stream breaks."""
    whole = completion(body["model"], body["messages"], content, number=number, fault=fault)
    (choice,) = whole.pop("choices")
    usage = whole.pop("usage", None)
    head = {**whole, "object": "chat.completion.chunk"}
    words = re.findall(r"\s*\S+|\s+", choice["message"]["content"])
    for index, word in enumerate(words):
        if fault is Fault.BROKEN and index >= len(words) / 2:
            yield None
            return
        yield {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if usage and (body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": usage}


def log_probabilities(content: str, alternatives: dict[str, dict[str, float]]) -> dict:
    """Each word and each other character as a token, with its alternatives in OpenAI's format."""
    found = []
    for token in re.findall(r"\w+|\W", content):
        others = alternatives.get(token, {token: 1.0})
        listed = [{"token": other, "logprob": math.log(share), "bytes": None} for other, share in others.items()]
        found.append({"token": token, "logprob": 0.0, "bytes": None, "top_logprobs": listed})
    return {"content": found, "refusal": None}


def tokens(messages: Messages, content: str) -> dict[str, int]:
    """The cost of a reply here: one token per word."""
    asked = sum(len(str(message["content"]).split()) for message in messages)
    answered = len(content.split())
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


SPOILT: dict[Fault | None, Callable[[str], str]] = {
    Fault.MALFORMED_JSON: lambda text: text.rstrip()[:-1] + ",",
    Fault.CUT: lambda text: text[: len(text) // 2],
    Fault.EMPTY: lambda _text: "",
    Fault.PROSE: lambda text: f"Certainly! Here is what you asked for:\n\n{text}\n\nLet me know if I can help further.",
    Fault.FENCED: lambda text: f"```json\n{text}\n```",
}
