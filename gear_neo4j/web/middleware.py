"""Middleware of every request: entry and log line, security headers, the check of its origin, plain errors."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gear_neo4j.web.access_log import log_error
from gear_neo4j.web.entry import Entry, begin
from gear_neo4j.web.problems import Failure, failure_of, failure_response, http_failure

UNMATCHED = "unmatched"
# A response that sets one of these keeps its own.
SECURITY: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
# Messages that replace those of Starlette's middleware, with what to do.
_REASONS: Mapping[int, str] = {
    400: "this host name is not allowed: the operator allows names with --allowed-host",
    413: "the body is too large: send less",
}
Ended = Callable[[Entry, str, str, int], None]


class RequestEntry:
    """Makes the entry of a request, adds headers to its response, and reports its end; no exception passes it.

    Args:
        on_end: called with the entry, the route's template, the method and the status.
    """

    def __init__(self, app: ASGIApp, *, on_end: Ended) -> None:
        self._app = app
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; refuses web sockets, and passes lifespan events through."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        entry = begin(scope, Headers(scope=scope).get("x-request-id"))
        # The status if the client disconnects before there is a response.
        status = 499

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(MutableHeaders(scope=message), entry)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            log_error(entry, error)
            if status == 499:
                await failure_response(HTTPConnection(scope), failure_of(error))(scope, receive, send_with_headers)
        finally:
            self._on_end(entry, entry.route or route_of(scope), scope["method"], status)


def _add_headers(headers: MutableHeaders, entry: Entry) -> None:
    headers["X-Request-Id"] = entry.id
    for name, value in SECURITY.items():
        headers.setdefault(name, value)


def route_of(scope: Scope) -> str:
    """The template of the route of a request, without values from the request."""
    route = scope.get("route")
    return str(getattr(route, "path_format", None) or getattr(route, "path", None) or UNMATCHED)


class AtOnce:
    """Refuses a request while too many with the same name are running.

    A request counts until its answer is complete, not until the client has read it, so that clients that do not read
    keep nobody out; :mod:`gear_neo4j.web.unread` limits the memory of their answers.

    Args:
        name_of: the name by which a request is counted; None if it is not counted.
        failure: the response to a refused request.
    """

    def __init__(self, app: ASGIApp, *, most: int, name_of: Callable[[Scope], str | None], failure: Failure) -> None:
        self._app = app
        self._most = most
        self._name_of = name_of
        self._failure = failure
        self._running: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        name = self._name_of(scope) if scope["type"] == "http" else None
        if name is None:
            await self._app(scope, receive, send)
            return
        if self._running[name] >= self._most:
            await failure_response(HTTPConnection(scope), self._failure)(scope, receive, send)
            return
        self._running[name] += 1
        with ExitStack() as slot:
            slot.callback(self._free, name)

            async def send_and_free(message: Message) -> None:
                if message["type"] == "http.response.body" and not message.get("more_body", False):
                    slot.close()
                await send(message)

            await self._app(scope, receive, send_and_free)

    def _free(self, name: str) -> None:
        self._running[name] -= 1
        if not self._running[name]:
            del self._running[name]


class SameOrigin:
    """Refuses requests from pages of other origins, as browsers report them.

    Args:
        allowed: origins, such as ``https://wiki.example.org``, whose pages may call.
    """

    def __init__(self, app: ASGIApp, *, allowed: Sequence[str]) -> None:
        self._app = app
        self._allowed = frozenset(origin.rstrip("/").lower() for origin in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and not self._admits(Headers(scope=scope)):
            failure = http_failure(403, "pages of this origin may not call the service: see --allowed-origin")
            await failure_response(HTTPConnection(scope), failure)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _admits(self, headers: Headers) -> bool:
        origins = headers.getlist("origin")
        own = headers.get("host", "").lower()
        return all(origin.lower() in self._allowed or (own and _place(origin) == own) for origin in origins)


def _place(origin: str) -> str:
    """The host and the port of an origin, as in the header Host."""
    try:
        return urlsplit(origin.lower()).netloc
    except ValueError:
        return ""


class PlainErrors:
    """Turns the plain-text refusals of Starlette's middleware into problems."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; a refusal in plain text is replaced."""
        replaced = False

        async def send_problem(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and _is_plain_error(message):
                replaced = True
                failure = http_failure(message["status"], _REASONS.get(message["status"], ""))
                await failure_response(HTTPConnection(scope), failure)(scope, receive, send)
            elif not replaced:
                await send(message)

        await self._app(scope, receive, send_problem if scope["type"] == "http" else send)


def _is_plain_error(message: Message) -> bool:
    media = Headers(raw=message["headers"]).get("content-type", "")
    return message["status"] >= 400 and media.startswith("text/plain")
