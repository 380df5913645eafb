"""The server over HTTP, as a part of another application such as ``gear serve``."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST_BODY = 1024 * 1024
PATH = "/mcp"


@dataclass(frozen=True, slots=True)
class Mounted:
    """The server as a part of another application.

    Attributes:
        app: the ASGI application, for a route with any path: ``Route("/mcp", mounted.app)``. The host authenticates a
            request first, and stores the result in the scope of the request for its ``gear_for``.
        lifespan: must be entered once, in the host's own lifespan.
    """

    app: ASGIApp
    lifespan: Callable[[], AbstractAsyncContextManager[None]]


def mounted(server: MCPServer[Any], *, hosts: Sequence[str] = (), origins: Sequence[str] = ()) -> Mounted:
    """The server for another application.

    It is stateless: there are no sessions that another client could take over.

    Args:
        hosts: host names that clients may use, besides those of this machine; any port.
        origins: origins whose pages may call it from a browser, such as ``https://chat.example.org``.
    """
    server.streamable_http_app(
        stateless_http=True, max_request_body_size=LARGEST_BODY, transport_security=_security(hosts, origins)
    )
    manager = server.session_manager
    return Mounted(_Endpoint(manager.handle_request), manager.run)


class _Endpoint:
    """An ASGI application as an object, because a route would call a function with a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _security(hosts: Sequence[str], origins: Sequence[str]) -> TransportSecuritySettings:
    """The accepted Host and Origin headers: a page from elsewhere must not reach a server on this machine."""
    local = [f"[{name}]" if ":" in name else name for name in LOOPBACK]
    return TransportSecuritySettings(
        allowed_hosts=[form for name in (*local, *hosts) for form in (name, f"{name}:*")],
        allowed_origins=[*(f"http://{name}:*" for name in local), *origins],
    )
