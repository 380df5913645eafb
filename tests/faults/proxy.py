"""A proxy between driver and server that a test can make refuse, delay, stall or cut the traffic."""

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress

CHUNK = 16_384


class Proxy:
    """Listens on loopback and forwards everything to ``port``, until a test changes that.

    Bytes are counted over all connections since the last :meth:`calm`, in each direction: ``up`` is to the server,
    ``down`` from it. ``refuse``, ``delay`` (seconds per chunk) and ``stalled`` can be set at any time.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._closing = threading.Event()
        self.calm()

    def calm(self) -> None:
        """Forward everything again, and reset the counts."""
        self.refuse, self.delay = False, 0.0
        self.stalled = threading.Event()
        self.seen = {"up": 0, "down": 0}
        self._at: tuple[str, int, Callable[[], None]] | None = None

    def at(self, direction: str, size: int, action: Callable[[], None]) -> None:
        """Call ``action`` once, before more than ``size`` bytes have passed in a direction."""
        self._at = direction, size, action

    def cut(self) -> None:
        """Reset every open connection."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                _reset(end)

    def gone(self) -> None:
        """Reset every connection, and refuse new ones."""
        self.refuse = True
        self.cut()

    @property
    def uri(self) -> str:
        """The value for NEO4J_URI."""
        return f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def open(self) -> int:
        """The connections that are open now."""
        with self._lock:
            return len(self._pairs)

    def __enter__(self) -> "Proxy":
        self._start(self._listen)
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        # A thread that waits in accept() is woken by a connection, not by closing its socket.
        with suppress(OSError):
            socket.create_connection(self._listener.getsockname(), timeout=1).close()
        self.cut()
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _listen(self) -> None:
        while not self._closing.is_set():
            client, _ = self._listener.accept()
            if self.refuse or self._closing.is_set():
                _reset(client)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self._port))
            except OSError:
                _reset(client)
                continue
            pair = client, server
            for end in pair:
                # Otherwise half of the small messages wait 40 ms for the acknowledgement of the previous one.
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._pairs.append(pair)
            self._start(self._pass, client, server, "up", pair)
            self._start(self._pass, server, client, "down", pair)

    def _pass(self, source: socket.socket, target: socket.socket, direction: str, pair: tuple) -> None:
        with suppress(OSError):
            while piece := source.recv(CHUNK):
                self._watch(direction, len(piece))
                time.sleep(self.delay)
                while self.stalled.is_set() and pair in self._pairs and not self._closing.is_set():
                    time.sleep(0.01)
                if pair not in self._pairs:
                    break
                target.sendall(piece)
        with self._lock:
            is_first = pair in self._pairs
            if is_first:
                self._pairs.remove(pair)
        for end in pair:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            if not is_first:
                end.close()

    def _watch(self, direction: str, size: int) -> None:
        with self._lock:
            self.seen[direction] += size
            due = self._at if self._at and self._at[0] == direction and self.seen[direction] > self._at[1] else None
            self._at = None if due else self._at
        if due:
            due[2]()

    def _start(self, work: Callable[..., None], *args: object) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(threading.Thread(target=work, args=args, daemon=True))
        self._threads[-1].start()


def _reset(end: socket.socket) -> None:
    # A linger time of zero resets; shutting down reads wakes the reading thread, and sends nothing.
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RD)
    with suppress(OSError):
        end.close()
