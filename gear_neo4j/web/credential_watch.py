"""Ends requests that outlast their key: answers, uploads and streams of events stop soon after it, with a reason."""

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gear_neo4j.web.callers import CHALLENGE, Caller
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.key_ring import KeyRing
from gear_neo4j.web.keys import Key
from gear_neo4j.web.problems import Failure, failure_event, failure_response, http_failure

# Seconds between two checks of a request's key.
LOOK_SECONDS = 0.5
# Seconds to send the last event, with the reason; a client that reads nothing does not get it.
LAST_SECONDS = 5.0
ENDED = "the key of this request was revoked or restricted while it ran: ask for a new one"
NEEDED = "the service now requires a key: send 'Authorization: Bearer ...'"


class KeyWatch:
    """Ends a request once its key allows less than at its start; with 401, or by a last event of its stream.

    The caller is identified only once per request; ending the request also releases its view.
    """

    def __init__(self, app: ASGIApp, *, ring: KeyRing) -> None:
        self._app = app
        self._ring = ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request while its key is valid."""
        caller = scope.get("user")
        if not isinstance(caller, Caller):
            await self._app(scope, receive, send)
            return
        answer, limit = _Answer(send), asyncio.timeout(None)
        try:
            async with limit:
                watching = asyncio.create_task(self._watch(caller.key, limit))
                try:
                    await self._app(scope, receive, answer.send)
                finally:
                    watching.cancel()
        except Exception:
            if not limit.expired():
                raise
            entry_of(scope).error = "KeyEnded"
            failure = http_failure(401, ENDED if caller.key else NEEDED, headers=CHALLENGE)
            await answer.end(failure, scope, receive)

    async def _watch(self, key: Key | None, limit: asyncio.Timeout) -> None:
        await asyncio.sleep(LOOK_SECONDS)
        while self._ring.admits(key):
            await asyncio.sleep(LOOK_SECONDS)
        limit.reschedule(asyncio.get_running_loop().time())


class _Answer:
    """The part of a response that was sent so far. Each piece of a stream of events is a whole event."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._is_whole = False

    async def send(self, message: Message) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self._start = message
        elif message["type"] == "http.response.body":
            self._is_whole = not message.get("more_body", False)
        await self._send(message)

    async def end(self, failure: Failure, scope: Scope, receive: Receive) -> None:
        """End the response with a failure, if it has not started or is a stream of events; otherwise cut it off."""
        connection = HTTPConnection(scope)
        if self._start is None:
            await failure_response(connection, failure)(scope, receive, self._send)
        elif not self._is_whole and _is_stream(self._start):
            last = {"type": "http.response.body", "body": failure_event(connection, failure), "more_body": False}
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_SECONDS):
                    await self._send(last)


def _is_stream(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith("text/event-stream")
