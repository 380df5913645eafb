"""The traffic between driver and server, counted by a proxy on loopback."""

import select
import socket
import ssl
import threading
from contextlib import contextmanager

import numpy as np


class Wire:
    """A proxy on loopback that counts RUN messages and read transactions, and records the replies."""

    def __init__(self, uri):
        host, port = uri.removeprefix("bolt://").split(":")
        self.target = (host, int(port))
        self.lock = threading.Lock()
        self.closed = False
        self.connections = 0
        self.open = 0
        self.is_down = False
        self.thawed = threading.Event()
        self.thawed.set()
        self.reset()

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"bolt://127.0.0.1:{self.listener.getsockname()[1]}"
        self.sockets = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.thaw()
        with self.lock:
            self.closed = True
            for one in self.sockets:
                one.close()

    def cut(self):
        """Break every open connection; new ones are accepted."""
        with self.lock:
            broken, self.sockets = self.sockets[1:], self.sockets[:1]
        for one in broken:
            one.shutdown(socket.SHUT_RDWR)
            one.close()

    def freeze(self):
        """Hold back all data from the server."""
        self.thawed.clear()

    def thaw(self):
        """Forward everything again."""
        self.thawed.set()

    @contextmanager
    def outage(self):
        """Break every connection, and refuse new ones until the end of the block."""
        self.is_down = True
        self.cut()
        try:
            yield
        finally:
            self.is_down = False

    def reset(self):
        self.runs = 0
        self.reads = 0
        self.answers = bytearray()

    @property
    def received(self):
        return len(self.answers)

    def holds(self, vector):
        return any(
            np.float64(number).astype(">f8").tobytes() in self.answers
            or np.float32(number).astype(">f4").tobytes() in self.answers
            for number in vector[:4]
        )

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_down:
                client.close()
                continue
            server = socket.create_connection(self.target)
            self.connections += 1
            self.open += 1
            with self.lock:
                if self.closed:
                    # The driver opened another while the test was ending.
                    client.close()
                    server.close()
                    return
                self.sockets += [client, server]
            for one in (client, server):
                # Otherwise half of the small messages wait 40 ms for the acknowledgement of the previous one.
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.join(client, server)

    def join(self, client, server):
        threading.Thread(target=self.pump, args=(client, server, self.sent), daemon=True).start()
        threading.Thread(target=self.pump, args=(server, client, self.answers_append), daemon=True).start()

    def pump(self, source, sink, seen):
        try:
            while data := source.recv(65_536):
                seen(data)
                sink.sendall(data)
        except OSError:
            return
        finally:
            # The driver has closed its side.
            self.open -= seen == self.sent

    def sent(self, data):
        # A RUN message is a structure of three fields with the signature 0x10, followed by the query's text, a long
        # string.
        self.reads += data.count(b"\x84mode\x81r")
        self.runs += sum(data.count(bytes([0xB3, 0x10, marker])) for marker in (0xD0, 0xD1, 0xD2))

    def answers_append(self, data):
        self.thawed.wait()
        self.answers += data


class TlsWire(Wire):
    """A wire that speaks TLS with the driver, with a certificate and its key in one file."""

    def __init__(self, uri, certificate):
        super().__init__(uri)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)

    def join(self, client, server):
        # One thread, because a TLS connection must not be read and written at the same time.
        threading.Thread(target=self.exchange, args=(client, server), daemon=True).start()

    def exchange(self, client, server):
        try:
            with self.context.wrap_socket(client, server_side=True) as tls:
                while True:
                    for source in [tls] if tls.pending() else select.select([tls, server], [], [])[0]:
                        if not (data := source.recv(65_536)):
                            return
                        (server if source is tls else tls).sendall(data)
        # A socket that the test has closed has no descriptor to wait for.
        except (OSError, ValueError):
            return
