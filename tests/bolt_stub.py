"""A cluster of stubs that speak Bolt 5.4 with the driver: four members on loopback, without a database.

It shows where the driver sends queries, and with which bookmarks. The text of a query is ignored, except for
``server_info``: all others return no rows.
"""

import socket
import struct
import threading
from contextlib import suppress
from enum import IntEnum
from typing import NamedTuple

from tests.packstream import Message, pack, unpack

VERSION = b"\x00\x00\x04\x05"
RELEASE, HOME = "5.26.0", "neo4j"
BAD_BOOKMARK = "Neo.ClientError.Transaction.InvalidBookmark"
BEHIND = "Neo.TransientError.Transaction.BookmarkTimeout"
NOT_A_LEADER = "Neo.ClientError.Cluster.NotALeader"


class Request(IntEnum):
    """The messages of the driver."""

    HELLO, GOODBYE, RESET, RUN, BEGIN, COMMIT, ROLLBACK = 0x01, 0x02, 0x0F, 0x10, 0x11, 0x12, 0x13
    DISCARD, PULL, TELEMETRY, ROUTE, LOGON, LOGOFF = 0x2F, 0x3F, 0x54, 0x66, 0x6A, 0x6B


class Reply(IntEnum):
    """The messages of a member."""

    SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F


class Sent(NamedTuple):
    """A query as it arrived; the mode and bookmarks of its transaction count for it."""

    query: str
    mode: str
    bookmarks: frozenset[str]
    database: str | None


class Refused(Exception):
    """A failure: its Neo4j code, and its message."""

    def __init__(self, code: str, message: str = "refused by a stub") -> None:
        super().__init__(code)
        self.code, self.message = code, message


class Cluster:
    """A router, a reader and two possible leaders; a bookmark is ``SB:`` and the number of a write.

    A member that receives a bookmark has its write from then on, as if another process had made it; while the cluster
    is ``behind``, it never has. A member that is not the leader refuses to write, and ``leader`` may be None.
    """

    def __init__(self) -> None:
        self.members = [Member(self) for _ in range(4)]
        self.router, self.reader, self.writer, self.other = self.members
        self.leader, self.behind = self.writer, False
        self.failures: list[Refused] = []
        # What drivers have told of their use, which its members ask for.
        self.told: list[int] = []
        self._writes, self._lock = 0, threading.Lock()

    @property
    def uri(self) -> str:
        """The value for NEO4J_URI."""
        return f"neo4j://{self.router.address}"

    def table(self, database: str) -> dict[str, object]:
        """The current routing table."""
        roles = {"ROUTE": self.router, "READ": self.reader, "WRITE": self.leader}
        servers = [{"role": role, "addresses": [member.address]} for role, member in roles.items() if member]
        return {"rt": {"ttl": 300, "db": database, "servers": servers}}

    def catch_up(self, bookmarks: frozenset[str]) -> None:
        """Apply the writes of the bookmarks."""
        if not all(bookmark[:3] == "SB:" and bookmark[3:].isdecimal() for bookmark in bookmarks):
            raise Refused(BAD_BOOKMARK)
        with self._lock:
            newest = max((int(bookmark[3:]) for bookmark in bookmarks), default=0)
            if self.behind and newest > self._writes:
                raise Refused(BEHIND)
            self._writes = max(self._writes, newest)

    def bookmark(self, mode: str) -> str:
        """The bookmark of a transaction that ends now."""
        with self._lock:
            self._writes += mode == "w"
            return f"SB:{self._writes}"

    def __enter__(self) -> "Cluster":
        for member in self.members:
            threading.Thread(target=member.accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for member in self.members:
            member.stop()


class Member:
    """One port of a cluster: the queries that it answered, and the number that it refused."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.sent: list[Sent] = []
        self.refused = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._clients: list[socket.socket] = []

    def accept(self) -> None:
        """Serve every driver that connects, until the end."""
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                # Replies are small: each would wait for the driver to acknowledge the previous one.
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._clients.append(client)
                threading.Thread(target=Conversation(self, client).hold, daemon=True).start()

    def stop(self) -> None:
        """Disconnect; the thread that reads a socket closes it."""
        for end in (self._listener, *self._clients):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class Conversation:
    """The replies of a member on one connection; one method for each request that needs more than a success."""

    def __init__(self, member: Member, client: socket.socket) -> None:
        self.member, self.cluster, self.client = member, member.cluster, client
        self.stream = client.makefile("rb")
        self.failed = False
        # The arguments with which the open transaction was begun.
        self.begun: dict | None = None
        self.mode, self.records = "w", []

    def hold(self) -> None:
        """Answer until the driver disconnects."""
        with suppress(OSError, EOFError), self.client, self.stream:
            # A magic number, and the four versions that the driver accepts.
            self.read(20)
            self.client.sendall(VERSION)
            while (request := self.receive()).signature != Request.GOODBYE:
                self.answer(Request(request.signature), request.fields)

    def answer(self, request: Request, fields: tuple) -> None:
        if self.failed and request is not Request.RESET:
            self.say(Reply.IGNORED)
            return
        try:
            self.say(Reply.SUCCESS, getattr(self, request.name.lower(), self.accept)(*fields))
        except Refused as refused:
            self.failed = True
            self.member.refused += 1
            self.say(Reply.FAILURE, {"code": refused.code, "message": refused.message})

    def accept(self, *_: object) -> dict:
        return {}

    def hello(self, _: dict) -> dict:
        return {"server": f"Neo4j/{RELEASE}", "connection_id": "stub", "hints": {"telemetry.enabled": True}}

    def telemetry(self, api: int) -> dict:
        self.cluster.told.append(api)
        return {}

    def reset(self) -> dict:
        self.failed, self.begun = False, None
        return {}

    def route(self, _: dict, bookmarks: list, of: dict) -> dict:
        self.cluster.catch_up(frozenset(bookmarks))
        return self.cluster.table(of.get("db", HOME))

    def begin(self, extra: dict) -> dict:
        self.cluster.catch_up(frozenset(extra.get("bookmarks", ())))
        self.begun = extra
        return {}

    def run(self, query: str, _: dict, extra: dict) -> dict:
        if self.begun is None:
            self.cluster.catch_up(frozenset(extra.get("bookmarks", ())))
        given = extra if self.begun is None else self.begun
        self.mode = given.get("mode", "w")
        if self.mode == "w" and self.member is not self.cluster.leader:
            raise Refused(NOT_A_LEADER)
        sent = Sent(query, self.mode, frozenset(given.get("bookmarks", ())), given.get("db"))
        self.member.sent.append(sent)
        if self.cluster.failures:
            raise self.cluster.failures.pop(0)
        info = {"version": RELEASE, "edition": "enterprise", "database": sent.database}
        row = info if "dbms.components()" in query else {}
        self.records = [list(row.values())] if row else []
        return {"fields": list(row)}

    def pull(self, _: dict) -> dict:
        for record in self.records:
            self.say(Reply.RECORD, record)
        self.records = []
        return {"type": self.mode} | ({} if self.begun is not None else {"bookmark": self.cluster.bookmark(self.mode)})

    def commit(self) -> dict:
        self.begun = None
        return {"bookmark": self.cluster.bookmark(self.mode)}

    def rollback(self) -> dict:
        self.begun = None
        return {}

    def say(self, reply: Reply, *fields: object) -> None:
        # No reply of a stub is longer than a chunk.
        message = pack(Message(reply, fields))
        self.client.sendall(struct.pack(">H", len(message)) + message + b"\x00\x00")

    def receive(self) -> Message:
        """The next message: its chunks up to an empty one; a single empty chunk is a keep-alive."""
        message = b""
        while (size := struct.unpack(">H", self.read(2))[0]) or not message:
            message += self.read(size)
        return unpack(message)

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        if len(data) < size:
            raise EOFError
        return data
