"""Faults in the body of a scripted reply: dripping, never ending, breaking off."""

import json
from collections.abc import Callable
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler
from threading import Event

FILLER = b" " * 65_536
REFUSAL = {"error": {"message": "the model is overloaded", "type": "overloaded", "code": None}}
COMMENT = b": wait\n\n" * 8_192
# Seconds between two bytes of a dripping server.
A_BYTE = 0.2


class BadBody(Enum):
    """The faults; each applies to replies in one piece and to streams."""

    DRIPS = auto()  # five bytes a second
    HEADERS_DRIP = auto()  # the same, from the first byte of the headers
    SILENT = auto()  # nothing at all
    ENDLESS = auto()  # more bytes, as fast as they are read
    CLOSED = auto()  # half of the announced length, then the connection is closed
    ERROR = auto()  # status 200, with an error as the body


def send(handler: BaseHTTPRequestHandler, way: BadBody, *, stream: bool, closing: Event) -> None:
    """Answer a request with this fault, until the client disconnects or the server closes."""
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
