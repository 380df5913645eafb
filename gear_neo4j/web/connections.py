"""Connections to the service, limited in number and in how long they wait for their clients.

uvicorn alone waits without limit for the head of a request and for a client to read a response, and it refuses new
clients while many connections are open, even idle ones.
"""

import asyncio
import json
import selectors
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from itertools import islice
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gear_neo4j.web.problems import MEDIA_TYPE, Failure
from gear_neo4j.web.unread import CONNECTION

LARGEST_HEAD = 16 * 1024
# Bytes passed to h11 at once, because it limits only heads that are incomplete.
_PIECE = 4 * 1024
# Number of connections to consider when one is dropped to make room.
LOOKED_AT = 64
_NOT_HTTP = Failure(400, "bad-request", f"not an HTTP/1.1 request, or its head has more than {LARGEST_HEAD:,} bytes")
_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Limits on connections.

    Args:
        most: maximum number of open connections.
        seconds: time limit for a whole head, from the start of the connection or the end of the last response.
        slowest: the bytes of a response that a client must read in that time.
    """

    most: int = 500
    seconds: float = 15.0
    slowest: int = 64 * 1024


class Waiting:
    """The connections that wait for their clients, by network; one is dropped to make room for a new one."""

    def __init__(self) -> None:
        # By network in order of arrival.
        self._networks: dict[str, dict[Connection, None]] = {}

    def enter(self, connection: "Connection") -> None:
        """Add a connection that starts to wait."""
        self._networks.setdefault(connection.network, {})[connection] = None

    def leave(self, connection: "Connection") -> None:
        """Remove a connection that no longer waits."""
        of_network = self._networks.get(connection.network, {})
        of_network.pop(connection, None)
        if not of_network:
            self._networks.pop(connection.network, None)

    def longest(self) -> "Connection":
        """The connection that has waited longest, in the network with the most waiting connections.

        Connections with unread data are passed over: when many connect at once, those clients have sent a request.
        """
        largest = max(self._networks, key=lambda network: len(self._networks[network]))
        oldest = list(islice(self._networks[largest], LOOKED_AT))
        return next((connection for connection in oldest if not connection.has_news), oldest[0])


class Connection(H11Protocol):
    """A connection that closes if its client does not send a whole head, or read the response, in time.

    Beyond the maximum, a new connection replaces a waiting one; a connection with a request under way is never dropped.
    """

    def __init__(self, *given: Any, limits: ConnectionLimits, waiting: Waiting, **options: Any) -> None:
        super().__init__(*given, **options)
        self._limits = limits
        self._waiting = waiting
        self._deadline: asyncio.TimerHandle | None = None
        self._unread = 0
        # uvicorn copies this into the scope of each request.
        self.app_state = {**self.app_state, CONNECTION: self}
        self.network = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a head; drop another connection if there are too many."""
        super().connection_made(transport)
        self.network = network_of(self.client[0]) if self.client else ""
        self._look()
        if len(self.connections) > self._limits.most:
            self._waiting.longest().drop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._work()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process what the client sent."""
        for start in range(0, len(data), _PIECE):
            if not self.transport.is_closing():
                super().data_received(data[start : start + _PIECE])
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for a client that does not read."""
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        """Resume work once the client reads."""
        super().resume_writing()
        self._look()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse data that is not HTTP, or a head that is too large."""
        body = json.dumps(_NOT_HTTP.problem("")).encode()
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
        answer = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def has_news(self) -> bool:
        """Whether its client has sent data that was not read yet."""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self.transport.get_extra_info("socket"), selectors.EVENT_READ)
                return bool(selector.select(0))
        except (OSError, ValueError):
            # The socket is already closed.
            return False

    def drop(self) -> None:
        """Close at once; unread data is lost."""
        self._work()
        self.transport.abort()

    def _look(self) -> None:
        """Start the deadline if it is the client's turn; otherwise cancel it."""
        is_idle = self.cycle is None or self.cycle.response_complete
        if not (is_idle or self.flow.write_paused):
            self._work()
        elif self._deadline is None:
            self._wait()
            self._waiting.enter(self)

    def _wait(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._deadline = self.loop.call_later(self._limits.seconds, self._expire)

    def _work(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._waiting.leave(self)

    def _expire(self) -> None:
        """Close the connection, unless its client is reading."""
        unread = self.transport.get_write_buffer_size()
        if unread and self._unread - unread >= self._limits.slowest:
            self._wait()
            return
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self.transport.write(_TIMEOUT)
        self.drop()


def network_of(address: str) -> str:
    """The network of an address; for IPv6 its first half, because one host often has the whole network.

    Example:
        >>> network_of("192.0.2.7"), network_of("2001:db8::7"), network_of("::ffff:192.0.2.7")
        ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    try:
        host = ip_address(address)
    except ValueError:
        return address
    if isinstance(host, IPv6Address) and not host.ipv4_mapped:
        # From an integer, because a link-local address also names its interface.
        return str(ip_network((int(host), 64), strict=False))
    return str(getattr(host, "ipv4_mapped", None) or host)
