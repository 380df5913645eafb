"""Connections to the service: so many at a time, and none that waits for its client for long.

uvicorn waits for the head of a request and for a client that reads for as long as they take, and refuses everybody
while many connections are open, whatever those do.
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
# What is read at once: h11 measures a head only while it is not whole.
_PIECE = 4 * 1024
# Connections among which one is chosen to make room.
LOOKED_AT = 64
_NOT_HTTP = Failure(400, "bad-request", f"not a request of HTTP/1.1, or its head has more than {LARGEST_HEAD:,} bytes")
_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Limits on connections.

    Args:
        most: how many are open at a time.
        seconds: how long a whole head may take, from the connection or the response before it.
        slowest: the bytes of a response that a client reads in that time, at least.
    """

    most: int = 500
    seconds: float = 15.0
    slowest: int = 64 * 1024


class Waiting:
    """The connections that wait for their clients, by network; the service drops one to make room for another."""

    def __init__(self) -> None:
        # By network in order of arrival.
        self._networks: dict[str, dict[Connection, None]] = {}

    def enter(self, connection: "Connection") -> None:
        """Note a connection that begins to wait."""
        self._networks.setdefault(connection.network, {})[connection] = None

    def leave(self, connection: "Connection") -> None:
        """Forget a connection, which waits no longer."""
        of_network = self._networks.get(connection.network, {})
        of_network.pop(connection, None)
        if not of_network:
            self._networks.pop(connection.network, None)

    def longest(self) -> "Connection":
        """Of the network with the most connections that wait, the one that has waited longest.

        One whose client has sent something that was not read yet is passed over: where many connect at once, that is
        a client that asks.
        """
        largest = max(self._networks, key=lambda network: len(self._networks[network]))
        oldest = list(islice(self._networks[largest], LOOKED_AT))
        return next((connection for connection in oldest if not connection.has_news), oldest[0])


class Connection(H11Protocol):
    """A connection that is closed once its client has not done its part in time: sent a whole head, or read.

    Beyond the most connections, a new one takes the room of one that waits: a request under way is never dropped.
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
        """Begin to wait for a head, and make room."""
        super().connection_made(transport)
        self.network = network_of(self.client[0]) if self.client else ""
        self._look()
        if len(self.connections) > self._limits.most:
            self._waiting.longest().drop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._work()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
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
        """Go on."""
        super().resume_writing()
        self._look()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse what is not HTTP, or has too large a head."""
        body = json.dumps(_NOT_HTTP.problem("")).encode()
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
        answer = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def has_news(self) -> bool:
        """Whether its client has sent what was not read yet."""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self.transport.get_extra_info("socket"), selectors.EVENT_READ)
                return bool(selector.select(0))
        except (OSError, ValueError):
            # It is closed already.
            return False

    def drop(self) -> None:
        """Close at once; what was not read is lost."""
        self._work()
        self.transport.abort()

    def _look(self) -> None:
        """Wait for the client where it has to do something, else work for it."""
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
    """The network that an address is counted with: of IPv6 the first half, which one host has for itself.

    Example:
        >>> network_of("192.0.2.7"), network_of("2001:db8::7"), network_of("::ffff:192.0.2.7")
        ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    try:
        host = ip_address(address)
    except ValueError:
        return address
    if isinstance(host, IPv6Address) and not host.ipv4_mapped:
        # A link-local address names its interface, too.
        return str(ip_network((int(host), 64), strict=False))
    return str(getattr(host, "ipv4_mapped", None) or host)
