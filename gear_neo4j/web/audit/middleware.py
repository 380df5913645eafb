"""Records requests: no part of a response is sent before the record says what it shows."""

from contextlib import suppress

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gear_neo4j.web.audit.events import LEFT, REFUSALS, begun, ended, kind_of
from gear_neo4j.web.audit.recorder import Recorder, Unrecorded
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.problems import failure_event, failure_of, failure_response


class Audited:
    """Records each request of a kind that is recorded, and each refusal; a stream also when it begins."""

    def __init__(self, app: ASGIApp, *, recorder: Recorder) -> None:
        self._app = app
        self._recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, receive, send, self._recorder)
        try:
            await self._app(scope, receive, answer.send)
        except Exception as error:
            entry_of(scope).error = type(error).__name__
            await answer.leave(500)
            raise
        await answer.leave(LEFT)


class _Answer:
    """The response to a request, which waits for the record."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, recorder: Recorder) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._recorder = recorder
        self._start: Message = {}
        self._is_held = self._is_begun = self._is_cut = False
        self._is_recorded = not kind_of(scope)

    async def send(self, message: Message) -> None:
        """Pass a message on, once the record says what it shows."""
        if self._is_cut:
            return
        if message["type"] == "http.response.start":
            self._start = message
            self._is_recorded = self._is_recorded and message["status"] not in REFUSALS
            self._is_held = not self._is_recorded
            if self._is_held:
                return
        elif not self._is_recorded:
            try:
                await self._record(is_last=not message.get("more_body", False))
            except Unrecorded as error:
                self._is_cut = True
                await self._refuse(error)
                return
            if self._is_held:
                self._is_held = False
                await self._send(self._start)
        await self._send(message)

    async def leave(self, status: int) -> None:
        """Record a request that ends without a whole response."""
        if not self._is_recorded and not self._is_cut:
            with suppress(Unrecorded):
                await self._recorder.record(ended(self._scope, status, texts=self._recorder.texts))

    async def _record(self, *, is_last: bool) -> None:
        if is_last or entry_of(self._scope).passages:
            self._is_recorded = True
            await self._recorder.record(ended(self._scope, self._start["status"], texts=self._recorder.texts))
        elif not self._is_begun:
            self._is_begun = True
            await self._recorder.record(begun(self._scope, texts=self._recorder.texts))

    async def _refuse(self, error: Unrecorded) -> None:
        """End the response with a failure: as a whole, or as the last event of a stream."""
        entry_of(self._scope).error = type(error).__name__
        connection, failure = HTTPConnection(self._scope), failure_of(error)
        if self._is_held:
            await failure_response(connection, failure)(self._scope, self._receive, self._send)
            return
        is_stream = Headers(raw=self._start["headers"]).get("content-type", "").startswith("text/event-stream")
        last = failure_event(connection, failure) if is_stream else b""
        await self._send({"type": "http.response.body", "body": last, "more_body": False})
