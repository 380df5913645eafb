"""Runs the service in this process: a socket, uvicorn, and a graceful shutdown."""

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
# Limits of the number of connections; idle ones cost little.
MOST_CONNECTIONS, FEWEST_CONNECTIONS = 4_000, 500
# Files of the driver, of jobs, of models, and of accepted connections that wait for room.
OTHER_FILES = 500
# Length of the listen queue. Its connections may all be accepted at once, and then each takes a file.
BACKLOG = 256
# Size of the send buffer. The system's default of megabytes would hide that a client does not read.
UNREAD = 256 * 1024
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """uvicorn's server; code after it still runs when SIGINT or SIGTERM has ended it."""

    def __init__(self, config: uvicorn.Config, *, on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_stop = on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start the shutdown; background work is stopped at once, because uvicorn first waits for requests."""
        self._on_stop()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals in the block; uvicorn's own method would raise them again afterwards."""
        previous = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """Open a socket at an address; port 0 chooses a free one.

    Raises:
        SettingsError: the address is in use, or does not belong to this machine.
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
        on_start: called with the address of the service.
        on_stop: called when the shutdown starts.
    """
    host, port = listener.getsockname()[:2]
    on_start(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    Server(config_of(app), on_stop=on_stop).run(sockets=[listener])


def most_connections() -> int:
    """The maximum number of connections: what the limit on open files leaves, at most 4,000."""
    try:
        import resource
    except ImportError:  # Windows has no limit on open files
        return FEWEST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + OTHER_FILES
    files = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(FEWEST_CONNECTIONS, min(MOST_CONNECTIONS, max(soft, files) - OTHER_FILES))


def config_of(app: ASGIApp, *, limits: ConnectionLimits | None = None) -> uvicorn.Config:
    """The configuration of uvicorn: with limits on connections, without its log and its trust in proxy headers."""
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
        # Otherwise a client could claim any address.
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
