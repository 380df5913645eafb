"""The service in this process: a socket, uvicorn, and an end that waits for what was accepted."""

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from gear_neo4j.errors import SettingsError

STOP_SECONDS = 30
# Connections at a time; uvicorn refuses more with 503.
MOST_CONNECTIONS = 500
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
        return socket.create_server((host.strip("[]"), port), family=family, backlog=2_048)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(f"{host}:{port} cannot be used: {reason}; choose another --host or --port") from error


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


def config_of(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves: without its own log and its trust in what proxies say."""
    return uvicorn.Config(
        app,
        # The parser in pure Python limits the size of all headers together.
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        # An address that a client claims must not count.
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
