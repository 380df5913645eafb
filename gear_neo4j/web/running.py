"""The service in this process: a socket, uvicorn, and an end that waits for what was accepted."""

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import cast

import uvicorn
from starlette.types import ASGIApp

from gear_neo4j.errors import SettingsError
from gear_neo4j.web.connections import LARGEST_HEAD, Connection, ConnectionLimits, Waiting

STOP_SECONDS = 30
# Those that only wait take little; without room for them, each that comes would be accepted in vain.
MOST_CONNECTIONS, FEWEST_CONNECTIONS = 4_000, 500
# Files of the driver, of jobs, of models, and of connections that were accepted and have no room yet.
OTHER_FILES = 500
# Connections that wait to be accepted, and are accepted at once: each takes a file before there is room for it.
BACKLOG = 256
# Of a response, what the system holds for a client that does not read: it would take megabytes, and hide that.
UNREAD = 256 * 1024
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """uvicorn's server, ended by SIGINT or SIGTERM as any command ends: what follows it still runs."""

    def __init__(self, config: uvicorn.Config, *, on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_stop = on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end: what goes on without a request is told at once, because uvicorn waits for requests first."""
        self._on_stop()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals in the block; uvicorn would raise them again behind it."""
        previous = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 takes a free one.

    Raises:
        SettingsError: the address is in use, or is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(f"{host}:{port} cannot be used: {reason}; choose another --host or --port") from error
    # Connections inherit it.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD)
    return listener


def run(
    app: ASGIApp,
    listener: socket.socket,
    *,
    on_start: Callable[[str], None],
    on_stop: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT or SIGTERM; requests that were accepted are finished, for at most 30 seconds.

    Args:
        on_start: called with the address.
        on_stop: called when the end begins.
    """
    host, port = listener.getsockname()[:2]
    on_start(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    Server(config_of(app), on_stop=on_stop).run(sockets=[listener])


def most_connections() -> int:
    """As many as there are files for, beside those that everything else opens; at most 4,000."""
    try:
        import resource
    except ImportError:  # Windows counts no files
        return FEWEST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + OTHER_FILES
    files = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(FEWEST_CONNECTIONS, min(MOST_CONNECTIONS, max(soft, files) - OTHER_FILES))


def config_of(app: ASGIApp, *, limits: ConnectionLimits | None = None) -> uvicorn.Config:
    """How uvicorn serves: without its own log and its trust in what proxies say, and within limits on connections."""
    return uvicorn.Config(
        app,
        # The parser in pure Python limits the size of all headers together.
        http=cast(
            type[Connection],
            partial(Connection, limits=limits or ConnectionLimits(most=most_connections()), waiting=Waiting()),
        ),
        h11_max_incomplete_event_size=LARGEST_HEAD,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        # An address that a client claims must not count.
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
