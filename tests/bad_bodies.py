"""What the scripted server can do wrong with the bytes of a reply: drip, never end, stop half way."""

import json
from collections.abc import Callable
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler
from threading import Event

FILLER = b" " * 65_536
REFUSAL = {"error": {"message": "the model is overloaded", "type": "overloaded", "code": None}}
COMMENT = b": wait\n\n" * 8_192
# Seconds from one byte to the next where a server drips.
A_BYTE = 0.2


class BadBody(Enum):
    """The ways; each holds for a reply in one piece and for a stream."""

    DRIPS = auto()  # five bytes a second
    HEADERS_DRIP = auto()  # the same, from the first byte of the headers
    SILENT = auto()  # nothing at all
    ENDLESS = auto()  # more bytes, as fast as they are taken
    CLOSED = auto()  # half of what was announced, and the end of the connection
    ERROR = auto()  # status 200, with an error as the body


def send(handler: BaseHTTPRequestHandler, way: BadBody, *, stream: bool, closing: Event) -> None:
    """Answer a request in that way, until the client has enough or the server closes."""
    if way is BadBody.SILENT:
        closing.wait()
        return
    if way is BadBody.HEADERS_DRIP:
        _drip(handler, b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}", closing)
        return
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream" if stream else "application/json")
    if way is BadBody.CLOSED:
        handler.send_header("Content-Length", "1000")
    handler.end_headers()
    {
        BadBody.DRIPS: lambda: _drip(handler, b'{"id": "' + b"x" * 1_000, closing),
        BadBody.ENDLESS: lambda: _pour(handler.wfile.write, COMMENT if stream else FILLER, closing),
        BadBody.CLOSED: lambda: handler.wfile.write(b'{"id": "chatcmpl-1", "choices": ['),
        BadBody.ERROR: lambda: handler.wfile.write(_refusal(stream)),
    }[way]()


def _refusal(stream: bool) -> bytes:
    body = json.dumps(REFUSAL).encode()
    return b"data: " + body + b"\n\n" if stream else body


def _drip(handler: BaseHTTPRequestHandler, body: bytes, closing: Event) -> None:
    for byte in body:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        if closing.wait(A_BYTE):
            return


def _pour(write: Callable[[bytes], object], piece: bytes, closing: Event) -> None:
    while not closing.is_set():
        write(piece)
