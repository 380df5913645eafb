"""Answers that clients have not read yet: a limit on the memory that they take together."""

from collections.abc import Iterator
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PIECE = 64 * 1024
MOST_BYTES = 256 * 1024 * 1024
# The key of a request's connection in its scope's state, where the server puts it.
CONNECTION = "connection"


class Droppable(Protocol):
    """A connection."""

    def drop(self) -> None:
        """Close at once; what was not read is lost."""


class UnreadAnswers:
    """Sends bodies in pieces, and keeps a bounded number of bytes for clients that do not read.

    Beyond ``most`` bytes, the connection that has kept an answer waiting for longest is dropped.
    """

    def __init__(self, app: ASGIApp, *, most: int = MOST_BYTES) -> None:
        self._app = app
        self._most = most
        # The bytes of each answer that is being sent, the oldest first.
        self._unread: dict[object, tuple[int, Droppable | None]] = {}
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, and send its answer."""
        connection: Droppable | None = scope.get("state", {}).get(CONNECTION)

        async def send_in_pieces(message: Message) -> None:
            size = len(message.get("body", b""))
            if size <= PIECE:
                await send(message)
                return
            token = object()
            self._unread[token] = size, connection
            self._bytes += size
            self._make_room()
            try:
                for piece in _in_pieces(message):
                    await send(piece)
            finally:
                self._forget(token)

        await self._app(scope, receive, send_in_pieces)

    def _make_room(self) -> None:
        """Drop the oldest while there is too much; the newest is kept, however large."""
        while self._bytes > self._most and len(self._unread) > 1:
            token, (_, connection) = next(iter(self._unread.items()))
            if connection:
                connection.drop()
            self._forget(token)

    def _forget(self, token: object) -> None:
        size, _ = self._unread.pop(token, (0, None))
        self._bytes -= size


def _in_pieces(message: Message) -> Iterator[Message]:
    body = message["body"]
    for start in range(0, len(body) - PIECE, PIECE):
        yield {"type": message["type"], "body": body[start : start + PIECE], "more_body": True}
    yield {**message, "body": body[(len(body) - 1) // PIECE * PIECE :]}
