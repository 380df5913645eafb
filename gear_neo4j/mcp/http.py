"""The server over HTTP: as a part of another application, or alone."""

import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gear_neo4j.errors import SettingsError
from gear_neo4j.mcp.keys import BearerCheck, Keys

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST_BODY = 1024 * 1024
PATH = "/mcp"


@dataclass(frozen=True, slots=True)
class Mounted:
    """The server as a part of another application.

    Attributes:
        app: the ASGI application, for a route of any path: ``Route("/mcp", mounted.app)``. The host checks who sends a
            request before it gets here, and keeps that in the scope of the request for its ``gear_for``.
        lifespan: to be entered once, in the host's own lifespan.
    """

    app: ASGIApp
    lifespan: Callable[[], AbstractAsyncContextManager[None]]


def mounted(server: MCPServer[Any], *, hosts: Sequence[str] = (), origins: Sequence[str] = ()) -> Mounted:
    """The server for another application.

    Each request stands alone: there are no sessions that one client could take over from another.

    Args:
        hosts: names by which clients reach the server, beside those of this machine; any port.
        origins: pages that may call it from a browser, such as ``https://chat.example.org``.
    """
    server.streamable_http_app(
        stateless_http=True, max_request_body_size=LARGEST_BODY, transport_security=_security(hosts, origins)
    )
    manager = server.session_manager
    return Mounted(_Endpoint(manager.handle_request), manager.run)


def http_app(
    server: MCPServer[Any], *, keys: Keys | None, hosts: Sequence[str] = (), origins: Sequence[str] = ()
) -> Starlette:
    """The server as an application of its own, at ``/mcp``; with ``keys`` nothing is answered without one."""
    part = mounted(server, hosts=hosts, origins=origins)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with part.lifespan():
            yield

    checks = [Middleware(BearerCheck, keys=keys)] if keys else []
    return Starlette(routes=[Route(PATH, part.app)], middleware=checks, lifespan=lifespan)


def require_key(host: str, keys: Keys | None) -> None:
    """Refuse to listen where others can connect, unless they need a key.

    Raises:
        SettingsError: the host is not this machine alone, and there are no keys.

    Example:
        >>> require_key("127.0.0.1", None)
    """
    if keys is None and host not in LOOPBACK:
        raise SettingsError(f"--host {host} lets others connect: give --api-key-file, or leave it at 127.0.0.1")


def serve(app: Starlette, *, host: str, port: int, on_start: Callable[[str], None]) -> None:
    """Serve an application until the process is told to stop; calls that run then get ten seconds.

    Args:
        on_start: called with the address once the port is open.

    Raises:
        SettingsError: the address cannot be used.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(f"{host}:{port} cannot be used: {reason}; choose another --host or --port") from error
    on_start(f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
    # Its log goes where ours goes, and requests are not logged.
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=10)
    uvicorn.Server(config).run(sockets=[listener])


class _Endpoint:
    """An ASGI application that is no function, which a route would call with a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _security(hosts: Sequence[str], origins: Sequence[str]) -> TransportSecuritySettings:
    """Which Host and Origin headers are accepted: a page elsewhere must not reach a server on this machine."""
    local = [f"[{name}]" if ":" in name else name for name in LOOPBACK]
    return TransportSecuritySettings(
        allowed_hosts=[form for name in (*local, *hosts) for form in (name, f"{name}:*")],
        allowed_origins=[*(f"http://{name}:*" for name in local), *origins],
    )
