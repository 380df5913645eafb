"""Ends requests that outlast their key or sign-in: answers, uploads and streams stop soon after it, with a reason."""

import asyncio
from contextlib import suppress

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gear_neo4j.web.callers import Caller
from gear_neo4j.web.credentials import Credential
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.identity.rights import Person
from gear_neo4j.web.problems import Failure, failure_event, failure_response, http_failure
from gear_neo4j.web.ring import Ring

# Seconds between two checks of a request's key or sign-in.
LOOK_SECONDS = 0.5
# Seconds to send the last event, with the reason; a client that reads nothing does not get it.
LAST_SECONDS = 5.0
ENDED = "the key of this request was revoked or restricted while it ran: ask for a new one"
SIGNED_OUT = "the sign-in of this request ended or was restricted while it ran: sign in again"
NEEDED = "the service now requires a key: send 'Authorization: Bearer ...'"


class CredentialWatch:
    """Ends a request once its key or sign-in allows less than at its start; with 401, or by a last event of its stream.

    The caller is identified only once per request; ending the request also releases its view.
    """

    def __init__(self, app: ASGIApp, *, ring: Ring) -> None:
        self._app = app
        self._ring = ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request while its key or sign-in is valid."""
        caller = scope.get("user")
        if not isinstance(caller, Caller):
            await self._app(scope, receive, send)
            return
        answer, limit = _Answer(send), asyncio.timeout(None)
        try:
            async with limit:
                watching = asyncio.create_task(self._watch(caller.credential, limit))
                try:
                    await self._app(scope, receive, answer.send)
                finally:
                    watching.cancel()
        except Exception:
            if not limit.expired():
                raise
            entry_of(scope).error = "KeyEnded"
            failure = http_failure(401, _reason(caller.credential), headers={"WWW-Authenticate": "Bearer"})
            await answer.end(failure, scope, receive)

    async def _watch(self, credential: Credential | None, limit: asyncio.Timeout) -> None:
        await asyncio.sleep(LOOK_SECONDS)
        while await self._admits(credential):
            await asyncio.sleep(LOOK_SECONDS)
        limit.reschedule(asyncio.get_running_loop().time())

    async def _admits(self, credential: Credential | None) -> bool:
        if isinstance(credential, Person):
            # This may ask the provider.
            return await to_thread.run_sync(self._ring.admits, credential)
        return self._ring.admits(credential)


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


def _reason(credential: Credential | None) -> str:
    if credential is None:
        return NEEDED
    return SIGNED_OUT if isinstance(credential, Person) else ENDED


def _is_stream(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith("text/event-stream")
