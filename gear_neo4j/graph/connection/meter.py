"""A relay on loopback between a driver and its server: counts the server's bytes, and can break both connections.

It is needed because the driver reads a record as a whole, however large, and cannot be interrupted meanwhile.
"""

import logging
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, Thread, get_ident
from typing import Any, Self

LOOPBACK = "127.0.0.1"
CHUNK = 65_536
_CONNECTING = 10.0
# The logger of the driver's errors about broken connections.
_DRIVER_LOG = logging.getLogger("neo4j.io")


class Meter:
    """The connections of one query, which are broken after ``budget`` bytes from the server, and at the end.

    Usage::

        with Meter(2**20) as meter, neo4j.GraphDatabase.driver(uri, resolver=meter.resolve) as driver:
            ...
    """

    def __init__(self, budget: int) -> None:
        self._left = budget
        self._lock = Lock()
        self._sockets: list[socket.socket] | None = []
        self._hosts: dict[int, str] = {}

    @property
    def spent(self) -> bool:
        """Whether the server sent more than the budget."""
        return self._left < 0

    def resolve(self, target: Sequence[Any]) -> list[tuple[str, int]]:
        """The driver's resolver: a port on loopback that leads to the given host and port."""
        listener = socket.create_server((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
        self._hosts[port] = target[0]
        self._keep(listener)
        _start(self._accept, listener, (target[0], target[1]))
        return [(LOOPBACK, port)]

    def host(self, port: int) -> str:
        """The host behind a port on loopback."""
        return self._hosts[port]

    def cut(self) -> None:
        """Break all connections, and refuse new ones."""
        with self._lock:
            broken, self._sockets = self._sockets or [], None
        for connection in broken:
            _shut(connection)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Suppress the driver's log messages about connections that the meter broke, for this thread in the block."""
        reader = get_ident()

        def keep(record: logging.LogRecord) -> bool:
            return record.thread != reader or self._sockets is not None

        _DRIVER_LOG.addFilter(keep)
        try:
            yield
        finally:
            _DRIVER_LOG.removeFilter(keep)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def _keep(self, *connections: socket.socket) -> None:
        with self._lock:
            if self._sockets is not None:
                self._sockets.extend(connections)
                return
        for connection in connections:
            _shut(connection)

    def _accept(self, listener: socket.socket, target: tuple[str, int]) -> None:
        with listener, suppress(OSError):
            while True:
                client, _ = listener.accept()
                self._connect(client, target)

    def _connect(self, client: socket.socket, target: tuple[str, int]) -> None:
        try:
            server = socket.create_connection(target, timeout=_CONNECTING)
        except OSError:
            # The driver then reports that no server answers.
            client.close()
            return
        server.settimeout(None)
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._keep(client, server)
        _start(self._pump, client, server, False)
        _start(self._pump, server, client, True)

    def _pump(self, source: socket.socket, sink: socket.socket, counted: bool) -> None:
        with source, suppress(OSError):
            while data := source.recv(CHUNK):
                if counted and not self._spend(len(data)):
                    break
                sink.sendall(data)
        _shut(sink)

    def _spend(self, count: int) -> bool:
        with self._lock:
            self._left -= count
        if self.spent:
            self.cut()
        return not self.spent


class NamedContext(ssl.SSLContext):
    """Verified TLS through a meter: checks the certificate against the host, not against the loopback address.

    Example:
        >>> context = NamedContext(ssl.PROTOCOL_TLS_CLIENT)
        >>> context.check_hostname, context.verify_mode
        (True, <VerifyMode.CERT_REQUIRED: 2>)
    """

    meter: Meter

    @classmethod
    def of(cls, meter: Meter) -> Self:
        """A context with the trusted certificates of this machine."""
        context = cls(ssl.PROTOCOL_TLS_CLIENT)
        context.load_default_certs()
        context.meter = meter
        return context

    def wrap_socket(self, sock: socket.socket, *args: Any, **options: Any) -> ssl.SSLSocket:
        """The socket with TLS, for the host behind its port."""
        options["server_hostname"] = self.meter.host(sock.getpeername()[1])
        return super().wrap_socket(sock, *args, **options)


def _start(work: Callable[..., None], *arguments: object) -> None:
    Thread(target=work, args=arguments, name="gear-relay", daemon=True).start()


def _shut(connection: socket.socket) -> None:
    """Wake the threads that wait for a socket; only its reader closes it, so that its number is not reused early."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
